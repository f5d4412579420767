package nneval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

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
