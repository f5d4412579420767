package descent_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// ranked returns the root's actions ordered by completion, value and visits.
func ranked(tree *descent.Tree, mover game.Player) []game.Action {
	list := tree.Children(nil)
	slices.SortStableFunc(list, func(a, b search.Child) int {
		return cmp.Or(cmp.Compare(tree.Completion(b.Action), tree.Completion(a.Action)),
			cmp.Compare(b.Value[mover], a.Value[mover]), cmp.Compare(b.Visits, a.Visits))
	})
	var actions []game.Action
	for _, c := range list {
		actions = append(actions, c.Action)
	}
	return actions
}

// frequencies counts the results of draw.
func frequencies(n int, draw func() game.Action) map[game.Action]float64 {
	f := map[game.Action]float64{}
	for range n {
		f[draw()] += 1 / float64(n)
	}
	return f
}

func searched(
	t *testing.T, name string, iterations int, actions ...game.Action,
) (*descent.Tree, game.State) {
	t.Helper()
	g, s := played(name, actions...)
	tree := descent.New(g, descent.Options{BestFirst: true, Iterations: iterations}, newRand(1))
	tree.Start(s)
	search.Run(tree, newHashed(g, 5, 4))
	return tree, s
}

// TestOrdinal compares frequencies with the formula, and the formula's
// probabilities with their sum.
func TestOrdinal(t *testing.T) {
	for _, position := range [][]game.Action{nil, {4}, {0, 1, 4, 2}, {0, 3, 1, 4}} {
		tree, s := searched(t, "tictactoe", 300, position...)
		order := ranked(tree, s.CurrentPlayer())
		if order[0] != tree.Best() {
			t.Fatalf("action %d is best, and %d first", tree.Best(), order[0])
		}
		for _, greed := range []float64{0, 0.3, 0.9, 1} {
			const n = 20_000
			rng := newRand(7)
			got := frequencies(n, func() game.Action { return tree.Ordinal(greed, rng) })
			k, sum := len(order), 0.0
			for j, a := range order {
				p := (greed + (1-greed)/float64(k-j)) * (1 - sum)
				sum += p
				if math.Abs(got[a]-p) > 5*math.Sqrt(p*(1-p)/n)+1e-9 {
					t.Errorf(
						"greed %g: action %d, number %d of %d, is drawn %.4f of the time, not %.4f",
						greed, a, j, k, got[a], p)
				}
				if greed == 0 && math.Abs(p-1/float64(k)) > 1e-12 {
					t.Errorf("without greed number %d of %d has the probability %g", j, k, p)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("greed %g: the probabilities sum to %g", greed, sum)
			}
		}
	}
}

// TestSafe: Safe returns the most explored action among those with the best completion, which
// need not have the greatest value.
func TestSafe(t *testing.T) {
	differ := 0
	for iterations := 2; iterations < 400; iterations++ {
		tree, s := searched(t, "mnk:rows=4,columns=4,in_row=3,players=3", iterations, 5)
		if tree.Resolved() {
			break
		}
		m := s.CurrentPlayer()
		list := tree.Children(nil)
		safe, best := list[0], list[0]
		for _, c := range list[1:] {
			if cmp.Or(cmp.Compare(tree.Completion(c.Action), tree.Completion(safe.Action)),
				cmp.Compare(c.Visits, safe.Visits), cmp.Compare(c.Value[m], safe.Value[m])) > 0 {
				safe = c
			}
			if cmp.Or(cmp.Compare(tree.Completion(c.Action), tree.Completion(best.Action)),
				cmp.Compare(c.Value[m], best.Value[m]), cmp.Compare(c.Visits, best.Visits)) > 0 {
				best = c
			}
		}
		if tree.Safe() != safe.Action || tree.Best() != best.Action {
			t.Fatalf("after %d iterations %d is best and %d safe, not %d and %d",
				iterations, tree.Best(), tree.Safe(), best.Action, safe.Action)
		}
		if safe.Action != best.Action {
			differ++
		}
		value := make([]float32, 3)
		if tree.Value(value); !slices.Equal(value, best.Value[:3]) {
			t.Fatalf("the root has the value %v, its best child %v", value, best.Value[:3])
		}
	}
	if differ < 20 {
		t.Errorf("best and safe differ only %d times", differ)
	}
}
