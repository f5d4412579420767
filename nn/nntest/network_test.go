package nntest_test

import (
	"math"
	"testing"

	"tengen/nn"
	"tengen/nn/nntest"
)

// TestReferenceByHand compares the reference with results worked out by hand for a tiny network.
func TestReferenceByHand(t *testing.T) {
	p, err := nn.NewParams(nn.Spec{Planes: 1, Height: 1, Width: 2, Players: 1, Actions: 3,
		Blocks: 1, Filters: 1,
		Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 1, Support: []float32{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string, v ...float32) { copy(p.Get(name).Data, v) }
	set("stem.weight", 0, 0, 0, 0, 2, 1, 0, 0, 0) // y(c) = 2·x(c) + x(c+1)
	set("stem.gamma", 3)
	set("stem.beta", 1)
	set("stem.mean", 4)
	set("stem.variance", 4-nn.NormEpsilon) // 3·(y − 4)/2 + 1
	set("block.0.0.weight", 0, 0, 0, 1, 0, 0, 0, 0, 0)
	set("block.0.0.variance", 1-nn.NormEpsilon) // y(c) = x(c−1)
	set("block.0.1.weight", 0, 0, 0, 0, -1, 0, 0, 0, 0)
	set("block.0.1.variance", 1-nn.NormEpsilon) // −x(c) + skip
	set("policy.weight", 2)
	set("policy.bias", -1)
	set("policy.pass.weight", 4)
	set("policy.pass.bias", 0.5)
	set("value.0.hidden.weight", 1, 2)
	set("value.0.hidden.bias", -8)
	set("value.0.output.weight", 0, 1)
	set("value.0.output.bias", 0, 0)
	// x = (1, 3): stem (5, 6) → (2.5, 4). Block: (0, 2.5) → skip + (0, −2.5) = (2.5, 1.5).
	// Policy: (4, 2), pass 4·2 + 0.5. Hidden: 2.5 + 3 − 8 < 0 → 0; logits (0, 0); value ½.
	out := nntest.NewReference(p).Forward([]float64{1, 3}, 1, false)
	near(t, "policy", out.Policy, []float64{4, 2, 8.5}, 1e-6)
	near(t, "value", out.Values, []float64{0.5}, 1e-6)
	set("value.0.hidden.bias", -5)
	// Hidden: 0.5; logits (0, 0.5).
	out = nntest.NewReference(p).Forward([]float64{1, 3}, 1, false)
	near(t, "value", out.Values, []float64{1 / (1 + math.Exp(-0.5))}, 1e-6)
	// In training the stem's outputs (5, 6) have mean 5.5 and variance 0.25: ∓3·1 + 1.
	out = nntest.NewReference(p).Forward([]float64{1, 3}, 1, true)
	near(t, "batch mean", out.Mean["stem"], []float64{5.5}, 1e-12)
	near(t, "batch variance", out.Variance["stem"], []float64{0.25}, 1e-12)
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: number %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}
