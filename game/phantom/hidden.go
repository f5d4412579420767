package phantom

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// mostOrders is an upper limit of the number of orders of a player's stones that another can think
// possible: four stones on the six cells that are left by three.
const mostOrders = 6 * 5 * 4 * 3

// mostTurns is an upper limit of a player's turns.
const mostTurns = (mostCells + 1) / 2

// Determinize draws what the other player did. All histories that agree with what seat knows are
// equally likely. Once the game is over nothing changes.
func (s *State) Determinize(rng *rand.Rand, seat game.Player) {
	if s.CurrentPlayer() == game.Nobody {
		return
	}
	other := 1 - seat
	turns := s.stones[other].size()

	// The order of the other's stones.
	o := s.possible(seat)
	order := o.found[rng.IntN(o.count)]

	// The other's failed moves: how many in each turn depends neither on that order nor on which of
	// seat's stones they hit.
	mine, n := order4(s.did[seat])
	unfinished := 0
	if s.mover == other {
		unfinished = 1
	}
	var ways [mostTurns + 2][mostTurns + 1]float64 // from a turn on, by the stones that other knows
	for d := range ways[turns+unfinished] {
		ways[turns+unfinished][d] = 1
	}
	visible := func(turn int) int { return min(n, turn+int(other)) } // seat's stones at that time
	for t := turns + unfinished - 1; t >= 0; t-- {
		for d := 0; d <= visible(t); d++ {
			w := 1.0
			for j := 0; d+j <= visible(t); j++ {
				ways[t][d] += w * ways[t+1][d+j]
				w *= float64(visible(t) - d - j)
			}
		}
	}

	s.did[other], s.known[other], s.stones[other] = 0, 0, 0
	d := 0
	for t := range turns + unfinished {
		x, w := rng.Float64()*ways[t][d], 1.0
		j := 0
		for ; d+j < visible(t); j++ {
			if x -= w * ways[t+1][d+j]; x < 0 {
				break
			}
			w *= float64(visible(t) - d - j)
		}
		d += j
		for range j {
			hidden := cellSet(0)
			for i := range visible(t) {
				hidden |= 1 << (mine >> (4 * i) & 15)
			}
			cell := pick(hidden&^s.known[other], rng)
			s.did[other] = s.did[other].add(cell, true)
			s.known[other] |= 1 << cell
		}
		if t < turns {
			cell := int(order >> (4 * t) & 15)
			s.did[other] = s.did[other].add(cell, false)
			s.known[other] |= 1 << cell
			s.stones[other] |= 1 << cell
		}
	}
}

// possible lists the orders of the other's stones that agree with what seat knows.
func (s *State) possible(seat game.Player) (o orders) {
	o.free, o.n = s.all()&^s.stones[seat], s.stones[1-seat].size()
	o.deadlines(s, seat)
	o.list(s.g, 0, 0, 0)
	return o
}

// pick draws one of a set of cells.
func pick(c cellSet, rng *rand.Rand) int {
	for range rng.IntN(c.size()) {
		c &= c - 1
	}
	return bits.TrailingZeros16(uint16(c))
}

// order4 returns the cells of a player's n stones in their order, four bits each, the first lowest.
func order4(h history) (order uint32, n int) {
	steps := h.len()
	for i := range steps {
		if x := h.at(i, steps); !x.failed {
			order |= uint32(x.cell) << (4 * n)
			n++
		}
	}
	return order, n
}

// orders lists the orders of a player's n stones that another thinks possible.
type orders struct {
	free cellSet
	n    int
	// must are the cells that are among the first stones, by the number of these.
	must  [mostTurns + 2]cellSet
	found [mostOrders]uint32 // four bits a cell, the first lowest
	count int
}

// deadlines sets must from seat's failed moves.
func (o *orders) deadlines(s *State, seat game.Player) {
	steps, placed := s.did[seat].len(), 0
	for i := range steps {
		x := s.did[seat].at(i, steps)
		if !x.failed {
			placed++
			continue
		}
		for k := placed + int(seat); k <= o.n; k++ { // the other's stones at that time, and later
			o.must[k] |= 1 << x.cell
		}
	}
}

// list appends all continuations of the first k stones.
func (o *orders) list(g *Game, order uint32, stones cellSet, k int) {
	if o.must[k]&^stones != 0 {
		return
	}
	if k == o.n {
		if !g.wins(stones) {
			o.found[o.count] = order
			o.count++
		}
		return
	}
	for m := o.free &^ stones; m != 0; m &= m - 1 {
		cell := bits.TrailingZeros16(uint16(m))
		o.list(g, order|uint32(cell)<<(4*k), stones|1<<cell, k+1)
	}
}

// stoneNames are the classes of a hidden fact.
var stoneNames = []string{"no stone", "stone"}

// HiddenFacts are, for each player and cell, whether the player's stone is there.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts returns the list of hidden facts.
func (g *Game) listHiddenFacts() (list []game.HiddenFact) {
	for p := range game.Player(players) {
		for c := range game.Action(g.cells) {
			list = append(list, game.HiddenFact{
				Name: fmt.Sprintf("%s on %s", g.SeatName(p), g.ActionName(nil, c)), Kind: "stone",
				Seat: p, Classes: len(stoneNames), ClassNames: stoneNames,
			})
		}
	}
	return list
}

// HiddenFacts implements game.HiddenFactState: seat does not know of the other's stones on cells of
// which it does not know that they are taken.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	for p := range game.Player(players) {
		for c := range s.g.cells {
			classes[int(p)*s.g.cells+c] = game.NoClass
			if p != seat && !s.known[seat].has(c) {
				classes[int(p)*s.g.cells+c] = int8(s.stones[p] >> c & 1)
			}
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: all orders of the other's stones that agree
// with what seat knows are equally likely.
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	clear(priors[:players*s.g.cells*len(stoneNames)])
	other := 1 - seat
	o := s.possible(seat)
	var counts [mostCells]int
	for _, order := range o.found[:o.count] {
		for k := range o.n {
			counts[order>>(4*k)&15]++
		}
	}
	for c := range s.g.cells {
		if !s.known[seat].has(c) {
			p := priors[(int(other)*s.g.cells+c)*len(stoneNames):][:len(stoneNames)]
			p[1] = float32(counts[c]) / float32(o.count)
			p[0] = 1 - p[1]
		}
	}
}

// permutedHiddenFacts returns the permutation of the hidden facts' classes by which cell c goes to
// cells[c].
func permutedHiddenFacts(cells []int) (places []int) {
	for p := range players {
		for _, c := range cells {
			for x := range stoneNames {
				places = append(places, (p*len(cells)+c)*len(stoneNames)+x)
			}
		}
	}
	return places
}
