package tcg

import (
	"math/bits"

	"tengen/game"
)

// Planes of an observation.
const (
	planeFight   = iota // Fight of the cell's card / the greatest value in the deck
	planeHeal           //
	planeAttack         //
	planeRemoval        // whether the cell is a Removal
	planePass           // the cell of the action Pass
	planeHealing        // of Heal
	planeHitting        // of Attack
	planeNext           // the acting card
	planeWaiting        // the current player's cards on the field that have not acted yet
	planeSides          // from here, sidePlanes for each player
)

// Planes of one player.
const (
	sideHand   = iota
	sideDeck   // cards that may still be drawn
	sideField  //
	sideRank   // (position on the field + 1) / cards in the deck
	sideHealth // constant, like those below: health / (health + initial health)
	sideHeals  // Heal of the field / (that + 10)
	sideHits   // Attack of the field / (that + 10)
	sidePlanes
)

// Planes after those of the players, all constant.
const (
	planeActing = planeSides + 2*sidePlanes // Fight, Heal and Attack of the acting card
	// phase: place a card, choose a target, choose a card, act
	planePhases   = planeActing + 3
	planeMovers   = planePhases + 4 // current player, one plane each
	planeTurn     = planeMovers + 2 // completed turns / most turns
	planeCount    = planeTurn + 1
	fieldStrength = 10 // value at which the planes of Heal and Attack are 1/2
)

// Observation writes planes of 4 rows, filled row by row: the cells of the actions
// Pass, Heal and Attack, then a cell for each card of the deck in ascending order of
// total, then padding. Both players' cards share the cells, and have separate planes.
func (s *State) Observation(dst []float32) {
	g := s.g
	cells := g.shape.H * g.shape.W
	dst = dst[:planeCount*cells]
	clear(dst)
	plane := func(i int) []float32 { return dst[i*cells : (i+1)*cells] }
	fill := func(i int, v float32) {
		p := plane(i)
		for c := range p {
			p[c] = v
		}
	}
	plane(planePass)[Pass], plane(planeHealing)[Heal], plane(planeHitting)[Attack] = 1, 1, 1
	scale := g.scale / float32(g.unit)
	for c := range g.n {
		v, i := &g.value[c], int(firstCell)+c
		plane(planeFight)[i] = float32(v.fight) * scale
		plane(planeHeal)[i] = float32(v.heal) * scale
		plane(planeAttack)[i] = float32(v.attack) * scale
		if g.scrap>>c&1 != 0 {
			plane(planeRemoval)[i] = 1
		}
	}
	for p := range s.sides {
		s.observeSide(p,
			dst[(planeSides+p*sidePlanes)*cells:(planeSides+(p+1)*sidePlanes)*cells], cells)
	}
	fill(planeTurn, float32(s.turn)/float32(g.rules.MaxTurns))
	if s.phase == over {
		return
	}
	fill(planeMovers+int(s.mover), 1)
	fill(planePhases+int(s.phase-place), 1)
	if s.phase == act {
		v := s.worth(int(s.mover), s.sides[s.mover].field[s.next])
		fill(planeActing, float32(v.fight)*scale)
		fill(planeActing+1, float32(v.heal)*scale)
		fill(planeActing+2, float32(v.attack)*scale)
		s.mark(plane(planeNext), s.standing(int(s.mover), ^(1<<s.next)))
	}
	switch { // the cards that have acted or are acting
	case s.g.rules.Order == FieldOrder && s.phase == act:
		s.mark(plane(planeWaiting), s.standing(int(s.mover), 1<<(s.next+1)-1))
	case s.phase == act:
		s.mark(plane(planeWaiting), s.standing(int(s.mover), s.acted|1<<s.next))
	case s.phase == choose:
		s.mark(plane(planeWaiting), s.standing(int(s.mover), s.acted))
	}
}

// mark sets the cells' elements of a plane to 1.
func (s *State) mark(plane []float32, cells uint64) {
	for m := cells << firstCell; m != 0; m &= m - 1 {
		plane[bits.TrailingZeros64(m)] = 1
	}
}

// observeSide writes one player's planes.
func (s *State) observeSide(p int, dst []float32, cells int) {
	g := s.g
	t := &s.sides[p]
	plane := func(i int) []float32 { return dst[i*cells : (i+1)*cells] }
	s.mark(plane(sideHand), t.hand)
	s.mark(plane(sideDeck), t.deck)
	var sum values
	var all uint64
	for i, cell := range t.field[:t.count] {
		v := s.worth(p, cell)
		sum.heal += v.heal
		sum.attack += v.attack
		bit := uint64(1) << cell
		if g.alone&bit == 0 {
			bit = g.oneMore(all, int(cell))
		}
		all |= bit
		at := int(firstCell) + bits.TrailingZeros64(bit)
		// several representatives share a cell
		if plane(sideField)[at]++; plane(sideField)[at] == 1 {
			plane(sideRank)[at] = float32(i+1) / float32(g.n)
		}
	}
	unit := float32(g.unit)
	health := max(0, float32(t.hp)/unit)
	heals, hits := float32(sum.heal)/unit, float32(sum.attack)/unit
	constants := [3]float32{
		health / (health + float32(g.rules.Deck.HP)),
		heals / (heals + fieldStrength),
		hits / (hits + fieldStrength),
	}
	for k, v := range constants {
		for c := range cells {
			plane(sideHealth + k)[c] = v
		}
	}
}

// Symmetries are the identity and the exchange of the players. The exchange leads to
// positions in which the second player has begun; their values are those of the
// originals.
func (g *Game) Symmetries() []game.Symmetry {
	cells := make([]int, g.shape.H*g.shape.W)
	for i := range cells {
		cells[i] = i
	}
	actions := make([]game.Action, g.actions)
	for i := range actions {
		actions[i] = game.Action(i)
	}
	planes, exchanged := make([]int, planeCount), make([]int, planeCount)
	for i := range planes {
		planes[i], exchanged[i] = i, i
	}
	for i := range sidePlanes {
		exchanged[planeSides+i], exchanged[planeSides+sidePlanes+i] = planeSides+sidePlanes+i,
			planeSides+i
	}
	exchanged[planeMovers], exchanged[planeMovers+1] = planeMovers+1, planeMovers
	return []game.Symmetry{
		{Cells: cells, Planes: planes, Actions: actions, Players: []game.Player{0, 1}},
		{Cells: cells, Planes: exchanged, Actions: actions, Players: []game.Player{1, 0},
			CellTargets: []int{1, 0}},
	}
}

// CellTargets is, for each player, whether the card is on its field in the end.
func (g *Game) CellTargets() []game.CellTarget {
	return []game.CellTarget{
		{Name: "field of the first player", Classes: 2},
		{Name: "field of the second player", Classes: 2},
	}
}

// SeatTargets is the health left, scaled as in observations.
func (g *Game) SeatTargets() []string { return []string{"health"} }

// AuxiliaryTargets implements game.AuxiliaryTargetState. Of several copies on a field the first
// cells are set, as in observations.
func (s *State) AuxiliaryTargets(cells []int8, seats []float32) {
	g := s.g
	size := g.shape.H * g.shape.W
	for p := range s.sides {
		plane := cells[p*size : (p+1)*size]
		for i := range plane {
			plane[i] = game.NoClass
		}
		for c := range g.cells {
			plane[int(firstCell)+c] = 0
		}
		t := &s.sides[p]
		var all uint64
		for _, cell := range t.field[:t.count] {
			bit := uint64(1) << cell
			if g.alone&bit == 0 {
				bit = g.oneMore(all, int(cell))
			}
			all |= bit
			plane[int(firstCell)+bits.TrailingZeros64(bit)] = 1
		}
		health := max(0, float32(t.hp)/float32(g.unit))
		seats[p] = health / (health + float32(g.rules.Deck.HP))
	}
}
