package nneval

import (
	"errors"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/nn"
)

// naiveTurn returns the utilities of the best end of the turn in a state, for its player. It plays
// every sequence of actions on copies, and evaluates one afterstate at a time.
func naiveTurn(g game.Game, w *nn.Weights, s game.State, mover game.Player) (best []float32) {
	for _, a := range s.LegalActions(nil) {
		utilities := naiveAction(g, w, s, a, mover)
		if best == nil || utilities[mover] > best[mover] {
			best = utilities
		}
	}
	return best
}

// naiveAction is naiveTurn for the turns that begin with an action.
func naiveAction(
	g game.Game, w *nn.Weights, s game.State, a game.Action, mover game.Player,
) []float32 {
	next := g.NewState()
	next.CopyFrom(s)
	next.Apply(a)
	switch next.CurrentPlayer() {
	case mover:
		return naiveTurn(g, w, next, mover)
	case game.Nobody:
		utilities := make([]float32, g.Players())
		next.Returns(utilities)
		return utilities
	}
	_, utilities := naive(g, w, next, false)
	return utilities
}

// TestTurnsAreTheNaiveOnes: utilities are those of the best end of the turn, and logits those of
// the best end that the action leads to, whatever the size of batches, with and without a cache.
func TestTurnsAreTheNaiveOnes(t *testing.T) {
	for _, name := range []string{"backgammon:checkers=3", "backgammon:checkers=1", "backgammon"} {
		g := game.Must(game.New(name))
		w := newWeights(t, g, 1)
		states := someStates(g, 250, 3)
		type want struct{ policy, values []float32 }
		var wants []want
		ended, longest := 0, 0
		for _, s := range states {
			mover := s.CurrentPlayer()
			policy := slices.Repeat([]float32{float32(math.Inf(-1))}, g.Actions())
			for _, a := range s.LegalActions(nil) {
				if int(a) < g.Actions() {
					policy[a] = naiveAction(g, w, s, a, mover)[mover] / PriorTemperature
				}
				next := g.NewState()
				next.CopyFrom(s)
				if next.Apply(a); next.CurrentPlayer() == game.Nobody {
					ended++
				}
			}
			longest = max(longest, len(s.LegalActions(nil)))
			wants = append(wants, want{policy, naiveTurn(g, w, s, mover)})
		}
		if ended == 0 && name != "backgammon" || longest < 2 {
			t.Errorf("%s: %d turns end the game, and at most %d actions are legal",
				name, ended, longest)
		}
		for _, c := range []struct {
			positions, rows int
			cache           *Cache
		}{{1, 1, nil}, {5, 3, nil}, {16, turnRows(16), NewCache(g, 1)}} {
			turns := NewTurns(g,
				New(g, nn.NewEvaluator(w), c.rows, Options{Cache: c.cache, Weights: w}),
				c.positions)
			for from := 0; from < len(states); from += c.positions {
				to := min(from+c.positions, len(states))
				for _, s := range states[from:to] {
					turns.Add(s)
				}
				rows := must(turns.Evaluate())
				for i, want := range wants[from:to] {
					if !slices.Equal(rows.Logits(i), want.policy) ||
						!slices.Equal(rows.Utilities(i), want.values) {
						t.Fatalf("%s, %d positions in batches of %d, position %d: %v, want %v; logits %v, want %v", name, c.positions, c.rows, from+i, rows.Utilities(i),
							want.values, rows.Logits(i), want.policy)
					}
				}
			}
		}
	}
}

type broken struct{ nn.Evaluator }

func (broken) Evaluate(*nn.Batch) error { return errors.New("lost") }

// TestTurnsFail: an error of the network is returned, also if it came with an earlier batch, and in
// later calls.
func TestTurnsFail(t *testing.T) {
	g := game.Must(game.New("backgammon:checkers=3"))
	turns := NewTurns(g, New(g, broken{nn.NewEvaluator(newWeights(t, g, 1))}, 1, Options{}), 4)
	for range 2 {
		turns.Add(someStates(g, 1, 1)[0])
		if _, err := turns.Evaluate(); err == nil {
			t.Fatal("no error")
		}
	}
}

func TestTurnsAllocateNothing(t *testing.T) {
	g := game.Must(game.New("backgammon"))
	w := newWeights(t, g, 1)
	turns := NewTurns(g,
		New(g, nn.NewEvaluator(w), turnRows(4), Options{Cache: NewCache(g, 1), Weights: w}), 4)
	states := someStates(g, 4, 1)
	evaluate := func() {
		for _, s := range states {
			turns.Add(s)
		}
		must(turns.Evaluate())
	}
	evaluate()
	if n := testing.AllocsPerRun(5, evaluate); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
