package phantom

import (
	"fmt"

	"tengen/game"
)

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
