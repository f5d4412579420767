package cuda

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/nn"
	"tengen/nn/cuda/kernels"
)

// errDisagrees reports that kernels can't be trusted.
var errDisagrees = errors.New("kernels that can't be trusted")

// check compares the results for a few rows with the processor's, for a network with random
// parameters, then fills the device with these rows, twice and at different places: the same rows
// must have the same bits. It detects kernels that compute something else or not always the same,
// not a lack of precision.
func (n *network) check() error {
	n.always = largeTower
	rng := checkSource()
	p, w, err := n.random(rng)
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
	got, err := n.compare(p, e, rows, rng)
	if err != nil {
		return err
	}
	return n.checkFull(e, got)
}

// compare compares the results for rows of random observations with the processor's, and returns
// the device's.
func (n *network) compare(
	p *nn.Params, e *Evaluator, rows int, rng *rand.Rand,
) (*nn.Batch, error) {
	cpu := nn.NewEvaluator(nn.Fold(p))
	want, got := cpu.NewBatch(rows), e.NewBatch(rows)
	nn.RandomObservations(want.Observations, rng)
	copy(got.Observations, want.Observations)
	want.N, got.N = rows, rows
	if err := errors.Join(cpu.Evaluate(want), e.Evaluate(got)); err != nil {
		return nil, err
	}
	limit := map[kernels.Precision]float64{
		kernels.BF16: 0.5, kernels.FP16: 0.1, kernels.TF32: 0.1, kernels.FP32: 0.01,
	}[n.plan.Precision]
	for _, o := range []struct {
		name      string
		got, want []float32
	}{{"policy", got.Policy, want.Policy}, {"value", got.Values, want.Values}} {
		if d := Deviation(o.got, o.want); !(d <= limit) {
			return nil, fmt.Errorf("%w: the kernels' results differ from the processor's: the %s by up to %.3g times its spread", errDisagrees, o.name, d)
		}
	}
	return got, nil
}

// rangeRows is the number of rows that checkRange evaluates.
const rangeRows = 4

// checkRange checks that fp16, with numbers up to 65,504, holds a network: its weights, and what it
// computes of a few rows, compared with the processor.
func (n *network) checkRange(p *nn.Params, w *Weights) error {
	err := kernels.FitsFP16(p)
	if err == nil {
		e := NewEvaluator(w)
		defer e.Close()
		_, err = n.compare(p, e, rangeRows, checkSource())
	}
	if errors.Is(err, errDisagrees) {
		err = fmt.Errorf("%w: %w", kernels.ErrRange, err)
	}
	return err
}

// random returns a network of random numbers.
func (n *network) random(rng *rand.Rand) (*nn.Params, *Weights, error) {
	p, err := nn.NewParams(n.plan.Spec)
	if err != nil {
		return nil, nil, err
	}
	randomise(p, rng)
	w, err := n.load(p)
	return p, w, err
}

// checkFew compares the results of the tower for few rows with those of the other, to the bit.
func (n *network) checkFew() error {
	rng := checkSource()
	_, w, err := n.random(rng)
	if err != nil {
		return err
	}
	defer w.Close()
	e := NewEvaluator(w)
	defer e.Close()
	rows := n.device.info.SMs * n.plan.Few.Positions
	if n.device.info.Emulated {
		rows = 2*n.plan.Few.Positions + 1
	}
	large, few := e.NewBatch(rows), e.NewBatch(rows)
	nn.RandomObservations(large.Observations, rng)
	copy(few.Observations, large.Observations)
	large.N, few.N = rows, rows
	n.always = largeTower
	err = e.Evaluate(large)
	n.always = fewTower
	if err = errors.Join(err, e.Evaluate(few)); err != nil {
		return err
	}
	if !sameBits(few.Policy, large.Policy) || !sameBits(few.Values, large.Values) {
		return fmt.Errorf("%w: those for few rows have other results than those for many",
			errDisagrees)
	}
	return nil
}

// checkFull evaluates batches that fill the device with the rows of a batch, and compares the bits.
func (n *network) checkFull(e *Evaluator, of *nn.Batch) error {
	spec := n.plan.Spec
	rows, turns := 2*n.plan.Round(&n.device.info)+of.N, 2
	if n.device.info.Emulated { // a thousandth as fast
		rows, turns = 2*of.N, 1
	}
	b := e.NewBatch(rows)
	b.N = rows
	planes := spec.Planes * spec.Cells()
	for turn := range turns {
		for r := range rows {
			at := (r + 1 + turn) % of.N
			copy(b.Observations[r*planes:(r+1)*planes], of.Observations[at*planes:])
		}
		if err := e.Evaluate(b); err != nil {
			return err
		}
		for r := range rows {
			at := (r + 1 + turn) % of.N
			if !sameBits(b.Values[r*spec.Players:(r+1)*spec.Players],
				of.Values[at*spec.Players:]) ||
				len(of.Policy) > 0 &&
					!sameBits(b.Policy[r*spec.Actions:(r+1)*spec.Actions],
						of.Policy[at*spec.Actions:]) {
				return fmt.Errorf(
					"%w: row %d of a batch of %d has other bits than the same row of a batch of %d",
					errDisagrees, r, rows, of.N)
			}
		}
	}
	return nil
}

// sameBits reports whether a has the bits of b's first numbers.
func sameBits(a, b []float32) bool {
	for i, v := range a {
		if math.Float32bits(v) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
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
	return most / (math.Sqrt(max(0, squares/count-sum*sum/count/count)) +
		math.Sqrt(squares/count)/20 + 1e-6)
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
