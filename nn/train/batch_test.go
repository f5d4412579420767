package train

import (
	"math"
	"testing"

	"tengen/nn"
)

// TestValueEntropy: the entropy of the value targets is the loss of a network that predicts them.
func TestValueEntropy(t *testing.T) {
	spec := nn.Spec{Players: 2, Value: nn.ValueCategorical, Support: []float32{0, 0.5, 1}}
	b := &Batch{Value: []float32{
		1, 0, 0, 0, 1, 0, // certain
		0.5, 0, 0.5, 0.25, 0.5, 0.25,
		0, 0, 1, 0.5, 0.5, 0,
	}}
	for _, test := range []struct {
		from, rows int
		want       float64
	}{
		{0, 1, 0},
		{1, 1, (math.Ln2 + 1.5*math.Ln2) / 2},
		{0, 3, (math.Ln2 + 1.5*math.Ln2 + math.Ln2) / 2},
	} {
		if got := b.valueEntropy(spec, test.from, test.rows); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("rows %d to %d: %g, want %g", test.from, test.from+test.rows-1, got, test.want)
		}
	}
	linear := nn.Spec{Players: 2, Value: nn.ValueLinear}
	if got := (&Batch{Value: []float32{0.5, 0.5}}).valueEntropy(linear, 0, 1); got != 0 {
		t.Errorf("a linear head has the entropy %g", got)
	}
}
