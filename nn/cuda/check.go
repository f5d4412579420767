package cuda

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/nn"
	"tengen/nn/cuda/kernels"
)

// check compares the results for a few rows with the processor's, for a network with random
// parameters. It detects kernels that compute something else, not a lack of precision.
func (n *network) check() error {
	spec := n.plan.Spec
	rng := checkSource()
	p, err := nn.NewParams(spec)
	if err != nil {
		return err
	}
	randomise(p, rng)
	w, err := n.load(p)
	if err != nil {
		return err
	}
	defer w.Close()
	e := NewEvaluator(w)
	defer e.Close()
	rows := 3 // more than a block has, so one block is full and one is not
	if t := n.plan.Tower; t != nil {
		rows += t.Positions
	}
	cpu := nn.NewEvaluator(nn.Fold(p))
	want, got := cpu.NewBatch(rows), e.NewBatch(rows)
	for i := range want.Observations {
		if rng.IntN(2) == 0 {
			want.Observations[i] = rng.Float32()
		}
	}
	copy(got.Observations, want.Observations)
	want.N, got.N = rows, rows
	if err := errors.Join(cpu.Evaluate(want), e.Evaluate(got)); err != nil {
		return err
	}
	limit := map[kernels.Precision]float64{kernels.BF16: 0.5, kernels.TF32: 0.1, kernels.FP32: 0.01}[n.plan.Precision]
	for _, o := range []struct {
		name      string
		got, want []float32
	}{{"policy", got.Policy, want.Policy}, {"value", got.Values, want.Values}} {
		if d := Deviation(o.got, o.want); !(d <= limit) {
			return fmt.Errorf("the kernels' results differ from the processor's: the %s by up to %.3g times its spread", o.name, d)
		}
	}
	return nil
}

// checkSource returns a generator with a fixed seed, so that kernels are always checked with the
// same network.
func checkSource() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// Deviation returns the largest difference between got and want, in standard deviations of want
// plus a twentieth of their root mean square, in case the former is small.
func Deviation(got, want []float32) float64 {
	var sum, squares, most float64
	for i, v := range want {
		sum += float64(v)
		squares += float64(v) * float64(v)
		if d := math.Abs(float64(got[i]) - float64(v)); !(d <= most) {
			most = d // keeps NaN
		}
	}
	if len(want) == 0 || most == 0 {
		return 0
	}
	count := float64(len(want))
	return most / (math.Sqrt(max(0, squares/count-sum*sum/count/count)) + math.Sqrt(squares/count)/20 + 1e-6)
}

// randomise sets all parameters and statistics to random values, so that an error in any of them
// changes the outputs.
func randomise(p *nn.Params, rng *rand.Rand) {
	p.Init(rng)
	for _, t := range p.Tensors {
		if len(t.Shape) > 1 {
			continue
		}
		for i := range t.Data {
			t.Data[i] += 0.2 * (rng.Float32() - 0.5)
		}
	}
}
