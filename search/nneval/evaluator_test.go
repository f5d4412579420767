package nneval

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

func TestSpecSuitsTheGame(t *testing.T) {
	for _, c := range []struct {
		game, policy, value string
		planes, actions     int
	}{
		{"go:size=5,players=3", nn.PolicyConv, nn.ValueCategorical, 6, 25},
		{"go:size=5,players=2,pass=free", nn.PolicyConvPass, nn.ValueCategorical, 4, 26},
		{"tictactoe", nn.PolicyConv, nn.ValueCategorical, 4, 9},
	} {
		g := game.Must(game.New(c.game))
		s, err := Spec(g, Size{Blocks: 1, Filters: 4, Hidden: 4, Policy: Auto, Value: Auto})
		if err != nil {
			t.Fatal(err)
		}
		if s.Policy != c.policy || s.Value != c.value || s.Planes != c.planes ||
			s.Actions != c.actions {
			t.Errorf("%s: %+v", c.game, s)
		}
		if err := Fits(g, s); err != nil {
			t.Errorf("%s: its own network does not fit: %v", c.game, err)
		}
	}
}

// TestSpecOfValuesAlone: a network without a policy is described as asked for,
// and fits the game whatever its actions.
func TestSpecOfValuesAlone(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	s, err := Spec(g, Size{
		Blocks: 1, Filters: 4, Hidden: 4, Policy: nn.PolicyNone, Value: nn.ValueLinear,
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Policy != nn.PolicyNone || s.Value != nn.ValueLinear || len(s.Support) != 0 {
		t.Errorf("%+v", s)
	}
	if s.Actions = 3; Fits(g, s) != nil {
		t.Errorf("a network without a policy does not fit: %v", Fits(g, s))
	}
}

func TestFitsRefuses(t *testing.T) {
	five := game.Must(game.New("go:size=5,players=3"))
	s, err := Spec(five, Size{Filters: 4, Hidden: 4})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"go:size=7,players=3": "7×7",
		"go:size=5,players=2": "planes",
	} {
		if err := Fits(game.Must(game.New(name)), s); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
}

// TestRowsInOrder: each state gets the rows that it gets alone.
func TestRowsInOrder(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	s, err := Spec(g, Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(s)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(1, random.Test))
	w := nn.Fold(params)
	alone, together := New(g, nn.NewEvaluator(w), 1, Options{}),
		New(g, nn.NewEvaluator(w), 16, Options{})
	filled := 0
	together.OnBatch = func(rows int, waited time.Duration) {
		filled += rows
		if waited <= 0 {
			t.Errorf("a batch of %d rows was waited for %v", rows, waited)
		}
	}
	rng := random.New(2, random.Test)
	var policies, values [][]float32
	state := g.NewState()
	for range 9 {
		together.Add(state)
		alone.Add(state)
		evaluations := must(alone.Evaluate())
		policies = append(policies, append([]float32(nil), evaluations.Logits(0)...))
		values = append(values, append([]float32(nil), evaluations.Utilities(0)...))
		legal := state.LegalActions(nil)
		state.Apply(legal[rng.IntN(len(legal))])
	}
	evaluations := must(together.Evaluate())
	for i := range policies {
		for a, x := range evaluations.Logits(i) {
			if x != policies[i][a] {
				t.Fatalf("row %d, action %d: logit %g together, %g alone", i, a, x, policies[i][a])
			}
		}
		for p, x := range evaluations.Utilities(i) {
			if x != values[i][p] {
				t.Fatalf("row %d, player %d: utility %g together, %g alone", i, p, x, values[i][p])
			}
		}
	}
	if filled != 9 {
		t.Errorf("%d rows reported, want 9", filled)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestNotFinite: outputs that are not finite are an error that names the network, whatever the
// options, and nothing of them is kept; Probe finds them too.
func TestNotFinite(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	s, err := Spec(g, Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{"policy", "value"} {
		p, err := nn.NewParams(s)
		if err != nil {
			t.Fatal(err)
		}
		p.Init(random.New(1, random.Test))
		if err := Probe(g, nn.Fold(p), "small", nil); err != nil {
			t.Error(err)
		}
		parts := map[string][]string{
			"policy": {"block.0.0.weight", "block.0.1.weight"},
			"value":  {"value.1.hidden.weight", "value.1.output.weight"},
		}
		for _, part := range parts[output] {
			for i, x := range p.Get(part).Data {
				p.Get(part).Data[i] = float32(math.Copysign(3e38, float64(x)))
			}
		}
		weights := nn.Fold(p)
		bad := func(what string, err error) {
			t.Helper()
			var not *nn.NotFiniteError
			if !errors.As(err, &not) || not.Output != output ||
				!strings.HasPrefix(err.Error(),
					"runs/x: the network's "+output+" for a position is ") {
				t.Errorf("%s, %s: %v", output, what, err)
			}
		}
		bad("probe", Probe(g, weights, "runs/x", nil))
		for what, o := range map[string]Options{
			"plain": {}, "canonical": {Canonical: true},
			"cache": {Cache: NewCache(g, 1), Weights: weights},
			"both":  {Canonical: true, Cache: NewCache(g, 1), Weights: weights},
		} {
			o.Name = "runs/x"
			for _, e := range []nn.Evaluator{
				weights.NewEvaluator(), (&nntest.Device{Network: weights}).NewEvaluator(),
			} {
				n := New(g, e, 4, o)
				for range 2 { // a cache would know the position
					n.Add(g.NewState())
					n.Start()
					_, err := n.Evaluate()
					bad(what, err)
				}
				n.Close()
			}
		}
	}
}
