package turtle

import (
	"math/bits"

	"tengen/game"
)

// Planes of an observation. A column is a turtle; a row is a square, or the row of an
// action.
const (
	// for each number of turtles below: whether the turtle stands on this square
	planeLevels = 0
	// of the turtle's column, like those below: its square / goal
	planeSquare = planeLevels + Turtles
	planeLast   = planeSquare + 1      // whether it is one of the last
	planeHeld   = planeLast + 1        // cells of actions: copies in hand / the maximum
	planeHand   = planeHeld + 1        // the same for each row of cards, over the whole column
	planeOut    = planeHand + cardRows // for each row of cards: discarded / copies in the deck
	planeDeck   = planeOut + cardRows  // constant: cards in the draw pile / all cards
	// for each player: whether it owns the turtle, as far as the current player can see
	planeOwner = planeDeck + 1
	// Then, for each player, constant: whether it is to move. With open hands planes like
	// planeHand follow for each player. With Rules.History those of the public history are last.
)

// planes returns the number of planes without those of the public history.
func planes(players int, open bool) int {
	n := planeOwner + 2*players
	if open {
		n += players * cardRows
	}
	return n
}

// Observation writes planes of 10 rows and 5 columns, one per turtle: the board, the
// current player's hand, the discards, the owners of turtles that the current
// player knows, and with Rules.History what was played. Once the game is over no hand is shown, and
// all tiles are.
func (s *base) Observation(dst []float32) {
	const cells = rows * Turtles
	g := s.g
	players := g.rules.Players
	dst = dst[:g.shape.C*cells]
	clear(dst)
	column := func(plane int, t Turtle, v float32) {
		for i := plane*cells + int(t); i < (plane+1)*cells; i += Turtles {
			dst[i] = v
		}
	}
	fill := func(plane int, v float32) {
		for i := plane * cells; i < (plane+1)*cells; i++ {
			dst[i] = v
		}
	}
	last := s.at(s.lastSquare())
	for t := range Turtle(Turtles) {
		square := s.square(t)
		dst[(planeLevels+s.under(t))*cells+square*Turtles+int(t)] = 1
		column(planeSquare, t, float32(square)/float32(g.goal))
		column(planeLast, t, float32(last>>t&1))
	}
	for c := range Card(Cards) {
		if n := s.discards.count[c]; n > 0 {
			s.spread(column, planeOut, c, float32(n)/float32(g.full.count[c]))
		}
	}
	fill(planeDeck, float32(s.deck.n)/float32(g.full.n))
	for p := range players {
		if t := s.owner[p]; p == int(s.mover) || g.open || s.phase == over {
			column(planeOwner+p, t, 1)
		}
	}
	if g.rules.History > 0 {
		from, _ := g.HistoryPlanes()
		s.past.observe(g, dst[from*cells:])
	}
	if s.phase == over {
		return
	}
	fill(planeOwner+players+int(s.mover), 1)
	s.observeHand(column, planeHand, int(s.mover))
	hand := dst[planeHeld*cells : (planeHeld+1)*cells]
	for m := s.hands[s.mover].held; m != 0; m &= m - 1 {
		a := bits.TrailingZeros64(m)
		hand[a] = s.part(int(s.mover), playedCard(game.Action(a)))
	}
	if g.open {
		for p := range players {
			s.observeHand(column, planeOwner+2*players+p*cardRows, p)
		}
	}
}

// part returns the copies of a card in a hand / the maximum.
func (s *base) part(p int, c Card) float32 {
	return float32(s.hands[p].count[c]) / float32(min(int(s.g.full.count[c]), s.g.rules.Hand))
}

// observeHand writes a hand's planes, one for each row of cards.
func (s *base) observeHand(column func(plane int, t Turtle, v float32), plane, p int) {
	for c, n := range s.hands[p].count {
		if n > 0 {
			s.spread(column, plane, Card(c), s.part(p, Card(c)))
		}
	}
}

// spread writes a value to the columns of a card: its turtle's, or all.
func (s *base) spread(column func(plane int, t Turtle, v float32), plane int, c Card, v float32) {
	if t := c.Turtle(); t != NoTurtle {
		column(plane+c.row(), t, v)
		return
	}
	for t := range Turtle(Turtles) {
		column(plane+c.row(), t, v)
	}
}

// CellTargets is whether the column's turtle ended on the row's square.
func (g *Game) CellTargets() []game.CellTarget {
	return []game.CellTarget{{Name: "square", Classes: 2}}
}

// SeatTargets is how far each player's own turtle came: its square / the goal.
func (g *Game) SeatTargets() []string { return []string{"square"} }

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *base) AuxiliaryTargets(cells []int8, seats []float32) {
	squares := int8(s.g.goal + 1)
	cells = cells[:rows*Turtles]
	for i := range cells {
		cells[i] = 0
		if int8(i/Turtles) >= squares {
			cells[i] = game.NoClass
		}
	}
	for t := range Turtle(Turtles) {
		cells[s.square(t)*Turtles+int(t)] = 1
	}
	for p := range s.g.rules.Players {
		seats[p] = float32(s.square(s.owner[p])) / float32(s.g.goal)
	}
}
