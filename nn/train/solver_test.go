package train

import (
	"math"
	"strings"
	"testing"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

var (
	_ G.Solver = (*SGD)(nil)
	_ G.Solver = (*Adam)(nil)
)

// valueGrad is a value with its gradient.
type valueGrad struct{ value, grad *tensor.Dense }

func (v *valueGrad) Value() G.Value         { return v.value }
func (v *valueGrad) Grad() (G.Value, error) { return v.grad, nil }

func newValueGrad(w ...float32) *valueGrad {
	return &valueGrad{
		tensor.New(tensor.WithShape(len(w)), tensor.WithBacking(w)),
		tensor.New(tensor.WithShape(len(w)), tensor.WithBacking(make([]float32, len(w)))),
	}
}

// follow takes steps with the given gradients for two values and compares the values after each
// step.
func follow(t *testing.T, s G.Solver, gradients [][2]float32, want [][2]float64) {
	t.Helper()
	a, b := newValueGrad(1), newValueGrad(0, -2)
	for i, g := range gradients {
		a.grad.Data().([]float32)[0] = g[0]
		b.grad.Data().([]float32)[1] = g[1]
		if err := s.Step([]G.ValueGrad{a, b}); err != nil {
			t.Fatal(err)
		}
		w, v := a.value.Data().([]float32), b.value.Data().([]float32)
		if math.Abs(float64(w[0])-want[i][0]) > 1e-6 || v[0] != 0 ||
			math.Abs(float64(v[1])-want[i][1]) > 1e-6 {
			t.Fatalf("step %d: %v and %v, want %v", i+1, w, v, want[i])
		}
	}
}

func TestSGDByHand(t *testing.T) {
	// Rate ½, momentum ¼. Velocities: 2, 4.5, 1.125; −1, −0.25, 0.9375.
	follow(t, &SGD{Rate: 0.5, Momentum: 0.25},
		[][2]float32{{2, -1}, {4, 0}, {0, 1}},
		[][2]float64{{0, -1.5}, {-2.25, -1.375}, {-2.8125, -1.84375}})
	// Without momentum: w − rate·g.
	follow(t, &SGD{Rate: 0.5}, [][2]float32{{2, -1}, {2, -1}}, [][2]float64{{0, -1.5}, {-1, -1}})
}

func TestAdamByHand(t *testing.T) {
	// Step 1: m̂ = g, v̂ = g², so each value moves by Rate against its gradient's sign.
	// Step 2 for g = 2, then −1: m = 0.9·0.2 − 0.1 = 0.08, m̂ = 0.08/0.19;
	// v = 0.999·0.004 + 0.001 = 0.004996, v̂ = 0.004996/0.001999.
	second := 0.1 * (0.08 / 0.19) / math.Sqrt(0.004996/0.001999)
	// For g = −4, then 0: m = −0.36, m̂ = −0.36/0.19; v = 0.999·0.016, v̂ = 0.015984/0.001999.
	other := -0.1 * (0.36 / 0.19) / math.Sqrt(0.015984/0.001999)
	follow(t, &Adam{Rate: 0.1},
		[][2]float32{{2, -4}, {-1, 0}},
		[][2]float64{{0.9, -1.9}, {0.9 - second, -1.9 - other}})
}

func TestSolversRejectWrongValues(t *testing.T) {
	for _, s := range []G.Solver{&SGD{Rate: 1}, &Adam{Rate: 1}} {
		a := newValueGrad(1)
		if err := s.Step([]G.ValueGrad{a}); err != nil {
			t.Fatal(err)
		}
		if err := s.Step([]G.ValueGrad{a, a}); err == nil ||
			!strings.Contains(err.Error(), "2 values") {
			t.Errorf("error %v, want one about 2 values", err)
		}
		a.grad = tensor.New(tensor.WithShape(1), tensor.WithBacking([]float64{1}))
		if err := s.Step([]G.ValueGrad{a}); err == nil ||
			!strings.Contains(err.Error(), "float32") {
			t.Errorf("error %v, want one about float32", err)
		}
	}
}
