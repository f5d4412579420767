package turtle

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// Determinize redraws what seat can't see: the other players' tiles, among those that
// seat does not hold, and their hands, from the cards that are neither in seat's hand
// nor discarded. All deals of these tiles and cards are equally likely. Once the game
// is over everything is revealed, and nothing changes.
func (s *State) Determinize(rng *rand.Rand, seat game.Player) {
	if s.phase == over {
		return
	}
	free := allTurtles
	if own := s.owner[seat]; own != NoTurtle {
		free &^= 1 << own
	}
	for p := range s.g.rules.Players {
		if p == int(seat) {
			continue
		}
		h := &s.hands[p]
		s.deck.addAll(h)
		if s.owner[p] != NoTurtle {
			t := Turtle(one(uint64(free), rng))
			free &^= 1 << t
			s.owner[p] = t
		}
	}
	for p := range s.g.rules.Players {
		if p == int(seat) {
			continue
		}
		h := &s.hands[p]
		n := h.n
		*h = pile{}
		for range n {
			c := s.deck.nth(rng.IntN(int(s.deck.n)))
			s.deck.remove(c)
			h.add(c)
		}
	}
}

// InformationStateKey hashes what seat sees: the board, the discards, the number of
// cards of each player, whose turn it is, the number of completed turns, its own
// tile and hand, and with Rules.History what was played.
func (s *State) InformationStateKey(seat game.Player) uint64 {
	cards := s.discards.sum + s.hands[seat].sum*handFactors[0]
	if s.g.rules.History > 0 {
		cards += s.past.key()
	}
	seen := uint64(s.turn)<<16 | uint64(s.deck.n)<<8 | uint64(s.owner[seat]&7)<<3 | uint64(seat)
	return random.Mix(cards ^ bits.RotateLeft64(random.Mix(s.public()^random.Mix(seen)), 1))
}

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
