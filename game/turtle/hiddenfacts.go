package turtle

import (
	"fmt"

	"tengen/game"
)

// HiddenFacts are, for each player, its turtle, and how many cards of each kind it holds. The
// numbers of cards are facts for themselves: together with the size of the hand they are the hand,
// and what ties them together (their sum, and the other hands) is in the determinizations that a
// belief weighs. With open hands there are none.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts makes the list of hidden facts.
func (g *Game) listHiddenFacts() {
	if g.open {
		return
	}
	for c := range Card(Cards) {
		if g.full.count[c] > 0 {
			g.kinds = append(g.kinds, c)
		}
	}
	for p := range game.Player(g.rules.Players) {
		owner := fmt.Sprintf("player %d's ", p+1)
		g.facts = append(g.facts, game.HiddenFact{
			Name: owner + "turtle", Kind: "turtle", Seat: p, Classes: Turtles,
			ClassNames: turtleNames[:],
		})
		for _, c := range g.kinds {
			g.facts = append(g.facts, game.HiddenFact{
				Name: owner + c.String(), Kind: "cards", Seat: p, Classes: g.most(c) + 1,
			})
		}
	}
}

// most returns the greatest number of cards of a kind in a hand.
func (g *Game) most(c Card) int { return min(int(g.full.count[c]), g.rules.Hand) }

// HiddenFacts implements game.HiddenFactState.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	kinds := s.g.kinds
	for p := range s.g.rules.Players {
		own := classes[:1+len(kinds)]
		classes = classes[len(own):]
		if p == int(seat) {
			for i := range own {
				own[i] = game.NoClass
			}
			continue
		}
		own[0] = int8(s.owner[p])
		for i, c := range kinds {
			own[1+i] = int8(s.hands[p].count[c])
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: turtles that seat does not own are equally
// likely, and a hand of n of the cards that it can't see, of which k are of a kind, has x of these
// with the hypergeometric probability C(k,x)·C(all-k,n-x)/C(all,n).
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	g := s.g
	unseen := s.deck
	for p := range g.rules.Players {
		if p != int(seat) {
			unseen.addAll(&s.hands[p])
		}
	}
	for p := range g.rules.Players {
		tiles := priors[:Turtles]
		priors = priors[Turtles:]
		for t := range tiles {
			tiles[t] = 0
			if p != int(seat) && Turtle(t) != s.owner[seat] {
				tiles[t] = 1. / (Turtles - 1)
			}
		}
		n := int(s.hands[p].n)
		for _, c := range g.kinds {
			list := priors[:g.most(c)+1]
			priors = priors[len(list):]
			clear(list)
			if p == int(seat) {
				continue
			}
			k, all := int(unseen.count[c]), int(unseen.n)
			for x := range list {
				list[x] = float32(choose(k, x) * choose(all-k, n-x) / choose(all, n))
			}
		}
	}
}

// choose returns the number of ways to choose k of n.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return ways
}

// permutedHiddenFacts returns the permutation of the hidden facts' classes by which turtle t gets
// the colour colours[t].
func (g *Game) permutedHiddenFacts(colours [Turtles]int) []int {
	if g.open {
		return nil
	}
	of := func(c Card) Card {
		if t := c.Turtle(); t != NoTurtle {
			return c - Card(t) + Card(colours[t])
		}
		return c
	}
	var first [Cards]int // of each kind, the place of its first class after the turtle's classes
	n := Turtles
	for _, c := range g.kinds {
		first[c] = n
		n += g.most(c) + 1
	}
	var places []int
	for p := range g.rules.Players {
		for _, t := range colours {
			places = append(places, p*n+t)
		}
		for _, c := range g.kinds {
			for x := range g.most(c) + 1 {
				places = append(places, p*n+first[of(c)]+x)
			}
		}
	}
	return places
}
