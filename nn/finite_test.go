package nn_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

func TestCheckFiniteTensors(t *testing.T) {
	p := nntest.Random(paper(), random.New(1, random.Test))
	if err := nn.CheckFinite(p.Tensors); err != nil {
		t.Error(err)
	}
	p.Get("policy.bias").Data[0] = float32(math.NaN())
	p.Get("stem.weight").Data[7] = float32(math.Inf(-1))
	if err := nn.CheckFinite(p.Tensors); err == nil ||
		err.Error() != "number 7 of stem.weight is -Inf" {
		t.Error(err)
	}
}

// TestCheckFinite: rows in use are checked, each number, and others are not.
func TestCheckFinite(t *testing.T) {
	const actions, players, classes, rows = 5, 3, 2, 4
	make := func() *nn.Batch {
		b := &nn.Batch{
			N: rows - 1, Policy: make([]float32, rows*actions),
			Values: make([]float32, rows*players), Belief: make([]float32, rows*classes),
		}
		for _, x := range [][]float32{b.Policy, b.Values, b.Belief} {
			x[0], x[1] = math.MaxFloat32, -math.MaxFloat32
		}
		return b
	}
	of := func(b *nn.Batch) map[string][]float32 {
		return map[string][]float32{"policy": b.Policy, "value": b.Values, "belief": b.Belief}
	}
	for name, numbers := range of(make()) {
		for i := range numbers {
			for _, bad := range []float32{
				float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
			} {
				b := make()
				of(b)[name][i] = bad
				err := b.CheckFinite(actions, players, classes)
				var not *nn.NotFiniteError
				if used := i < len(numbers)/rows*(rows-1); used != errors.As(err, &not) ||
					used && (not.Output != name || fmt.Sprint(not.Number) != fmt.Sprint(bad)) {
					t.Errorf("%g in number %d of %s: %v", bad, i, name, err)
				}
			}
		}
	}
	b := make()
	b.Policy, b.Belief = nil, nil
	if n := testing.AllocsPerRun(10, func() {
		if err := b.CheckFinite(actions, players, 0); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// TestHugeWeightsAreSeen: where finite weights overflow, some output is not finite, on each path:
// no kernel turns it into a number.
func TestHugeWeightsAreSeen(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, spec := range append(nntest.Specs(), paper()) {
			for _, part := range []string{"stem.", "block."} {
				rng := random.New(12, random.Test, uint64(index))
				p, huge := nntest.Random(spec, rng), false
				for _, x := range p.Tensors {
					if strings.HasPrefix(x.Name, part) && strings.HasSuffix(x.Name, ".weight") {
						for i := range x.Data {
							x.Data[i] = float32(math.Copysign(3e38, float64(x.Data[i])))
						}
						huge = true
					}
				}
				if !huge {
					continue
				}
				b := evaluate(nn.NewEvaluator(fold(p)), nntest.Observations(spec, 6, rng), 6)
				var not *nn.NotFiniteError
				if err := b.CheckFinite(spec.Actions, spec.Players, 0); !errors.As(err, &not) {
					t.Errorf("%s of %d: %v; policy %v, values %v",
						part, index, err, b.Policy[:min(4, len(b.Policy))], b.Values)
				}
			}
		}
	})
}
