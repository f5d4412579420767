package truth

import (
	"context"
	"reflect"
	"testing"

	"tengen/game"
	"tengen/game/backgammon"
	"tengen/player"
)

func measure(t *testing.T, set *Turns, name string, workers int) *TurnLoss {
	t.Helper()
	p, err := player.Parse(set.game, name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.Measure(context.Background(), p, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The solver loses nothing, random play much, and UCT less the longer it searches. Workers change
// nothing.
func TestLosses(t *testing.T) {
	g := backgammon.New(2)
	set, err := NewTurns(context.Background(), g, g, 200, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set.positions {
		if s.CurrentPlayer() < 0 || len(s.LegalActions(nil)) < 2 {
			t.Fatalf("no turn begins in %s", s.(game.Written).Position())
		}
	}
	exact, random := measure(t, set, "solver", 1), measure(t, set, "random", 1)
	few, many := measure(t, set, "uct:simulations=10,utility=unit", 1),
		measure(t, set, "uct:simulations=200,utility=unit", 1)
	if exact.Mean > 1e-6 || exact.Best != 1 || exact.Turns != 200 {
		t.Errorf("perfect play: %+v", exact)
	}
	if !(random.Mean > few.Mean && few.Mean > many.Mean && many.Mean > 0 &&
		*random.Low < random.Mean && random.Mean < *random.High && random.Worst >= random.Mean) {
		t.Errorf("losses of random play %+v, of 10 simulations %+v, of 200 %+v", random, few, many)
	}
	if exact.ValueError == nil || *exact.ValueError > 1e-6 || random.ValueError != nil ||
		!(*few.ValueError > *many.ValueError && *many.ValueError > 0) {
		t.Errorf("errors of values: of perfect play %v, of random play %v, of UCT %v and %v",
			exact.ValueError, random.ValueError, *few.ValueError, *many.ValueError)
	}
	if again := measure(t, set, "random", 3); !reflect.DeepEqual(again, random) {
		t.Errorf("with three workers %+v; with one %+v", again, random)
	}
}

// By hand: three turns that lose 0, 0.1 and 0.2 utilities of 6 points.
func TestSummary(t *testing.T) {
	r := summary("x", []float64{0, 0.1, 0.2}, 6)
	near := func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }
	// 0.6 + 4.303·0.6/√3
	if !near(r.Mean, 0.6) || !near(r.Deviation, 0.6) || !near(r.Best, 1./3) ||
		!near(r.Worst, 1.2) || *r.Low != 0 || *r.High < 2.08 || *r.High > 2.1 {
		t.Errorf("%+v", r)
	}
}
