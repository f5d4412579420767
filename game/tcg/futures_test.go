package tcg

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// chosenBySearch is a search: it compares the mean results of random playouts after
// each action. Chance and the players draw from the same stream every time.
func chosenBySearch(g *Game, s *State, seed uint64) game.Action {
	rng := random.New(seed, random.Test)
	best, most := game.NoAction, float32(-1)
	u := g.NewState().(*State)
	for _, a := range s.LegalActions(nil) {
		sum := float32(0)
		for range 4 {
			u.CopyFrom(s)
			u.Apply(a)
			u.Playout(rng)
			var utilities [2]float32
			u.Returns(utilities[:])
			sum += utilities[s.mover]
		}
		if sum > most {
			best, most = a, sum
		}
	}
	return best
}

// Of two games with the same cards dealt but decks in another order, a search makes
// the same choice until a different card is drawn.
func TestSearchSeesNoFuture(t *testing.T) {
	g := made(t, "tcg:deck=benchmark")
	differ := 0
	for seed := range uint64(40) {
		rng := random.New(5, random.Test, seed)
		var decks [2][2][]int // [game][player], the cells in the order in which they are drawn
		s := g.NewState().(*State)
		for p := range 2 {
			var deck []int
			for c := range g.n {
				if s.sides[p].deck>>c&1 != 0 {
					deck = append(deck, int(g.base[c]))
				}
			}
			shuffle(rng, deck)
			decks[0][p] = deck
			other := append([]int(nil), deck...)
			shuffle(rng, other[1+rng.IntN(3):]) // the first cards drawn are the same in both
			decks[1][p] = other
		}
		games := [2]*State{s, g.NewState().(*State)}
		decisions := 0
		for games[0].CurrentPlayer() != game.Nobody {
			var actions [2]game.Action
			for i, s := range games {
				if s.CurrentPlayer() == game.Chance {
					p := s.mover
					actions[i] = game.Action(g.actions + decks[i][p][0])
					decks[i][p] = decks[i][p][1:]
				} else {
					actions[i] = chosenBySearch(g, s, seed)
					decisions++
				}
			}
			if games[0].CurrentPlayer() == game.Chance && actions[0] != actions[1] {
				differ++
				break
			}
			if actions[0] != actions[1] || games[0].Hash() != games[1].Hash() {
				t.Fatalf("after %d decisions the search chooses %d in one game, %d in the other, with the same cards drawn:\n%s", decisions, actions[0], actions[1], games[0].Position())
			}
			for i, s := range games {
				s.Apply(actions[i])
			}
		}
		if decisions < 4 {
			t.Errorf("only %d decisions were compared", decisions)
		}
	}
	if differ < 20 {
		t.Errorf("the futures differ in only %d of 40 pairs of games", differ)
	}
}

func shuffle(rng *rand.Rand, deck []int) {
	rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
}
