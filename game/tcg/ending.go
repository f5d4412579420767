package tcg

import (
	"math"
	"math/bits"

	"tengen/game"
)

// unbounded exceeds all values in thirds.
const unbounded = math.MaxInt64 / 2

// lastTurn is the function that LastTurn returns. It values all ways to end the current player's
// turn, without playing them.
func (g *Game) lastTurn(
	state game.State, p game.Player, alpha, beta float64,
) (value float64, leaves int64, ok bool) {
	s := state.(*State)
	mover := int(s.mover)
	if g.own > 0 || g.rules.Order == FreeOrder {
		return 0, 0, false
	}
	ends := int(s.turn)+1 >= g.rules.MaxTurns || g.rules.Empty == Loss && s.sides[1-mover].deck == 0
	if ends && (g.rules.Empty == Loss || !s.crowded()) {
		return 0, 0, false
	}
	if int(p) != mover { // the minimum for p is the maximum for the current player
		alpha, beta = -beta, -alpha
	}
	e := ending{
		g: g, theirs: &s.sides[1-mover], mover: mover,
		win: g.winAt(int(s.turn)), best: -unbounded, bound: -unbounded,
		floor: g.notAbove(alpha), ceiling: -g.notAbove(-beta),
	}
	e.prunes = e.floor > -unbounded || e.ceiling < unbounded
	e.drawn = ends
	e.lay(s)
	if g.rules.Representative {
		for q := range e.representatives {
			for k := range 3 {
				e.representatives[q][k] = s.worth(q, uint8(g.n+k))
			}
		}
	}
	e.assigns = ends
	e.turn(s)
	if e.work > mostWork {
		e.assigns = true
		e.turn(s)
	}
	best := e.best
	if best <= e.floor {
		best = max(best, e.bound)
	}
	if int(p) != mover {
		best = -best
	}
	return g.toPoints(best), e.leaves, true
}

// notAbove returns the greatest value in thirds that is at most x in points.
func (g *Game) notAbove(x float64) int64 {
	thirds := math.Floor(x * float64(3*g.unit))
	switch {
	case thirds >= unbounded:
		return unbounded
	case thirds <= -unbounded:
		return -unbounded
	}
	k := int64(thirds)
	for g.toPoints(k) > x { // the product was rounded up
		k--
	}
	for g.toPoints(k+1) <= x {
		k++
	}
	return k
}

// ending enumerates the ends of one turn. Values are the current player's, in thirds.
type ending struct {
	g               *Game
	theirs          *side
	representatives [2][3]values
	mover           int
	// the current player's cards, in the order in which they act
	own   [MostCards + 1]uint8
	count int
	win   int64 // the value of winning in this turn

	best   int64 // the greatest value found
	leaves int64

	work    int64 // ends and positions visited one by one
	assigns bool  // values are found by assign
	drawn   bool  // the game is drawn at the end of the turn

	prunes         bool
	floor, ceiling int64
	bound          int64 // the greatest bound of what was left out
	// bounds of the gains of the cards from each index on, and their Attack
	gains, harm [MostCards + 2]int64
}

// mostWork is the number of ends and positions of a turn that are visited one by one. On
// crowded fields there may be 10¹⁵ of them, and the value is found by assign.
const mostWork = 1 << 20

// crowded reports whether the turn may have more than mostWork ends.
func (s *State) crowded() bool {
	ends := float64(bits.OnesCount64(s.sides[s.mover].hand) + 3)
	for range s.sides[s.mover].count + 1 {
		ends *= float64(s.sides[s.mover^1].count) + 3
	}
	return ends > mostWork
}

// lay puts the current player's cards into own, in the order in which they act.
func (e *ending) lay(s *State) {
	t := &s.sides[e.mover]
	e.count = int(t.count)
	copy(e.own[:], t.field[:])
	if e.g.rules.Order == FieldOrder || e.count == 0 {
		return
	}
	if s.phase != act { // the last one first
		e.own[0] = t.field[e.count-1]
		copy(e.own[1:], t.field[:e.count-1])
		return
	}
	e.own[0], e.count = t.field[s.next], 1
	for i, cell := range t.field[:t.count] {
		if s.acted>>i&1 == 0 && i != int(s.next) {
			e.own[e.count] = cell
			e.count++
		}
	}
}

// of returns the values of a card on the field of p.
func (e *ending) of(p int, cell uint8) *values {
	if int(cell) < e.g.n {
		return &e.g.value[cell]
	}
	return &e.representatives[p][int(cell)-e.g.n]
}

// turn values the possible ends of the turn from s.
func (e *ending) turn(s *State) {
	g := e.g
	t := &s.sides[e.mover]
	v := s.thirds(e.mover)
	all := uint64(1)<<e.theirs.count - 1
	switch s.phase {
	case act:
		next := int(s.next)
		if g.rules.Order == NewestOrder {
			next = 0 // of those that are left
		}
		e.cards(next, v, all)
		return
	case target:
		e.removals(v, all)
		return
	}
	count := e.count
	for m := s.placeable(); m != 0; { // by descending total, which prunes best
		cell := bits.Len64(m) - 1
		bit := uint64(1) << cell
		m ^= bit
		w := v
		if cell < g.n {
			w += 3 * int64(g.balance(t.hand)-g.balance(t.hand&^g.lastOf(t.hand, cell)))
		}
		if bit&g.scrap != 0 && all != 0 {
			e.removals(w, all)
			continue
		}
		if bit&g.scrap == 0 {
			e.own[count] = uint8(cell)
			e.count = count + 1
			if g.rules.Order == NewestOrder {
				copy(e.own[1:e.count], t.field[:count])
				e.own[0] = uint8(cell)
			}
			w += int64(e.of(e.mover, uint8(cell)).total)
		}
		e.cards(0, w, all)
		if e.count > count && g.rules.Order == NewestOrder {
			e.lay(s)
		}
		e.count = count
	}
	e.cards(0, v, all)
}

// removals values the ends after each possible target of a Removal.
func (e *ending) removals(v int64, alive uint64) {
	for m := e.distinct(alive); m != 0; m &= m - 1 {
		j := bits.TrailingZeros64(m)
		e.cards(0, v+int64(e.of(1-e.mover, e.theirs.field[j]).total), alive&^(1<<j))
	}
}

// distinct returns the slots of the opponent's cards that may be chosen: only the
// first of equal representatives.
func (e *ending) distinct(alive uint64) uint64 {
	if !e.g.rules.Representative {
		return alive
	}
	var seen uint64
	for m := alive; m != 0; m &= m - 1 {
		cell := e.theirs.field[bits.TrailingZeros64(m)]
		if int(cell) < e.g.n {
			continue
		}
		if seen>>cell&1 != 0 {
			alive &^= m & -m
		}
		seen |= 1 << cell
	}
	return alive
}

// cards lets the cards from i on act. alive holds the slots of the opponent's
// remaining cards.
func (e *ending) cards(i int, v int64, alive uint64) {
	switch {
	case e.work > mostWork && !e.assigns:
	case e.assigns:
		e.assign(i, v, alive)
	case i >= e.count:
		e.leaves++
		e.best = max(e.best, v)
	case e.prunes:
		e.estimate(i, alive)
		e.pruned(i, v, e.theirs.hp, alive)
	default:
		e.plain(i, v, e.theirs.hp, alive)
	}
}

// plain values every sequence of actions of the cards from i on.
func (e *ending) plain(i int, v, hp int64, alive uint64) {
	if e.work > mostWork {
		return
	}
	c := e.of(e.mover, e.own[i])
	heal, attack := v+3*int64(c.heal), v+3*int64(c.attack)
	wins := int64(c.attack) >= hp
	targets := e.distinct(alive)
	if i+1 == e.count {
		best := max(v, heal, attack)
		if wins {
			best = e.win
		}
		for m := targets; m != 0; m &= m - 1 {
			t := e.of(1-e.mover, e.theirs.field[bits.TrailingZeros64(m)])
			w := v
			if c.fight >= t.fight {
				w += int64(t.total)
			}
			if c.fight <= t.fight {
				w -= int64(c.total)
			}
			best = max(best, w)
		}
		e.leaves += 3 + int64(bits.OnesCount64(targets))
		e.work += 3 + int64(bits.OnesCount64(targets))
		e.best = max(e.best, best)
		return
	}
	e.plain(i+1, v, hp, alive)
	e.plain(i+1, heal, hp, alive)
	if wins {
		e.leaves++
		e.best = max(e.best, e.win)
	} else {
		e.plain(i+1, attack, hp-int64(c.attack), alive)
	}
	for m := targets; m != 0; m &= m - 1 {
		t := e.of(1-e.mover, e.theirs.field[bits.TrailingZeros64(m)])
		w, left := v, alive
		if c.fight >= t.fight {
			w += int64(t.total)
			left &^= m & -m
		}
		if c.fight <= t.fight {
			w -= int64(c.total)
		}
		e.plain(i+1, w, hp, left)
	}
}

// estimate bounds the gains of the cards from i on.
func (e *ending) estimate(i int, alive uint64) {
	e.gains[e.count], e.harm[e.count] = 0, 0
	for k := e.count - 1; k >= i; k-- {
		c := e.of(e.mover, e.own[k])
		gain := 3 * int64(max(c.heal, c.attack))
		for m := alive; m != 0; m &= m - 1 {
			t := e.of(1-e.mover, e.theirs.field[bits.TrailingZeros64(m)])
			if c.fight > t.fight {
				gain = max(gain, int64(t.total))
			} else if c.fight == t.fight {
				gain = max(gain, int64(t.total-c.total))
			}
		}
		e.gains[k] = e.gains[k+1] + gain
		e.harm[k] = e.harm[k+1] + int64(c.attack)
	}
}

// pruned finds the same maximum as plain with less work. It leaves out what can't
// exceed the best value so far, or the floor, and what is never better than something
// else that the same card may do: doing nothing and losing a battle are never better
// than healing; and if the opponent can't be beaten in this turn, a card attacks or
// heals, whichever changes more.
func (e *ending) pruned(i int, v, hp int64, alive uint64) {
	if e.work++; e.work > mostWork {
		return
	}
	if i == e.count {
		e.leaves++
		e.best = max(e.best, v)
		return
	}
	reach := e.harm[i] >= hp
	if most := v + e.gains[i]; !reach && most <= max(e.best, e.floor) {
		e.bound = max(e.bound, most)
		return
	}
	c := e.of(e.mover, e.own[i])
	switch {
	case int64(c.attack) >= hp:
		e.leaves++
		e.best = max(e.best, e.win)
		return // nothing is better
	case reach:
		e.pruned(i+1, v+3*int64(c.attack), hp-int64(c.attack), alive)
		e.pruned(i+1, v+3*int64(c.heal), hp, alive)
	default:
		e.pruned(i+1, v+3*int64(max(c.heal, c.attack)), hp, alive)
	}
	for m := e.distinct(alive); m != 0 && e.best < e.ceiling; m &= m - 1 {
		t := e.of(1-e.mover, e.theirs.field[bits.TrailingZeros64(m)])
		switch {
		case c.fight > t.fight:
			e.pruned(i+1, v+int64(t.total), hp, alive&^(m&-m))
		case c.fight == t.fight:
			e.pruned(i+1, v+int64(t.total-c.total), hp, alive&^(m&-m))
		}
	}
}
