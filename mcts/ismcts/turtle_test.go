package ismcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/game/turtle"
	"tengen/internal/random"
)

// deals returns all hidden states that the player to move in s considers possible, with their
// probabilities.
func deals(
	t *testing.T, g *turtle.Game, s *turtle.State,
) (list []*turtle.State, chances []float64) {
	t.Helper()
	me := s.CurrentPlayer()
	other := 1 - me
	rng := random.New(1, random.Test, 65, s.Hash())
	known, sum := map[uint64]bool{}, 0.0
	for tries := 0; sum < 1-1e-9; tries++ {
		if tries == 200_000 {
			t.Fatalf("the deals found have the probability %v", sum)
		}
		x := g.NewState().(*turtle.State)
		x.CopyFrom(s)
		x.Determinize(rng, me)
		if known[x.Hash()] {
			continue
		}
		known[x.Hash()] = true
		// The tile is one of the other four; the hand is drawn from the unseen cards.
		p, unseen := 0.25, 0
		for c := range turtle.Card(turtle.Cards) {
			left := g.Rules().Deck[copiesRow(c)] - s.Hand(me, c) - s.Discarded(c)
			p *= choose(left, x.Hand(other, c))
			unseen += left
		}
		p /= choose(unseen, x.Held(other))
		list, chances = append(list, x), append(chances, p)
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Fatalf("the deals have the probability %v together", sum)
	}
	return list, chances
}

// copiesRow is the place of a card's kind in a deck: three kinds of each colour come first.
func copiesRow(c turtle.Card) int {
	if c < turtle.AnyPlus {
		return int(c) / turtle.Turtles
	}
	return 3 + int(c-turtle.AnyPlus)
}

// choose returns the binomial coefficient of n and k.
func choose(n, k int) float64 {
	v := 1.0
	for i := range k {
		v *= float64(n-i) / float64(i+1)
	}
	return v
}

// hiddenWorth returns the value of each action of the player to move, two turns before the end.
// The other player has the last turn and decides by its own tile and hand.
func hiddenWorth(t *testing.T, g *turtle.Game, s *turtle.State) map[game.Action]float64 {
	t.Helper()
	list, chances := deals(t, g, s)
	worth := map[game.Action]float64{}
	me := s.CurrentPlayer()
	for _, a := range s.LegalActions(nil) {
		for i, x := range list {
			next := g.NewState().(*turtle.State)
			next.CopyFrom(x)
			next.Apply(a)
			if next.CurrentPlayer() == game.Nobody {
				u := make([]float32, 2)
				next.Returns(u)
				worth[a] += chances[i] * float64(u[me])
				continue
			}
			solution, err := gametest.Solve(g, next, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			worth[a] += chances[i] * solution.Values[me]
		}
	}
	return worth
}

// TestHiddenEndings: two turns before the end of small races, searches with multiple observers
// find the exact value of each decision over all hands that the other player may hold.
func TestHiddenEndings(t *testing.T) {
	const endings, simulations = 20, 8_000
	g := game.Must(game.New(
		"turtle:hand=2,squares=5,deck=[0,2,1,1,1,1,0],max_turns=7")).(*turtle.Game)
	cost, off := make([]float64, len(infoSearches)), make([]float64, len(infoSearches))
	for i, n := uint64(0), 0; n < endings; i++ {
		rng := random.New(1, random.Test, 66, i)
		s := afterDeal(g, rng, 16).(*turtle.State)
		if s.Turn() != 5 {
			continue
		}
		worth := hiddenWorth(t, g, s)
		best, least := 0.0, 1.0
		for _, v := range worth {
			best, least = max(best, v), min(least, v)
		}
		if best-least < 0.05 {
			continue
		}
		n++
		for k, c := range infoSearches {
			tree := c.run(s, g, simulations, random.New(1, random.Test, 67, i))
			a := tree.Best()
			cost[k] += (best - worth[a]) / endings
			for _, child := range tree.Children(nil) {
				if child.Action == a {
					off[k] += (float64(child.Value[s.CurrentPlayer()]) - worth[a]) / endings
				}
			}
		}
	}
	for k, c := range infoSearches {
		t.Logf("%s: decisions cost %.4f, their values are off by %.4f", c.name, cost[k], off[k])
	}
	for _, k := range []int{1, 3} { // multiple
		if cost[k] > 0.01 || math.Abs(off[k]) > 0.04 {
			t.Errorf("%s: decisions cost %.4f, their values are off by %.4f",
				infoSearches[k].name, cost[k], off[k])
		}
	}
}
