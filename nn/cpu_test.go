package nn_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/nntest"
)

var _ nn.Evaluator = (*nn.CPU)(nil)

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

// eachPath runs a test on every kernel path that this processor supports.
func eachPath(t *testing.T, f func(t *testing.T, fold func(*nn.Params) *nn.Weights)) {
	for _, path := range kernels.Paths() {
		t.Run(path.String(), func(t *testing.T) {
			f(t, func(p *nn.Params) *nn.Weights { return nn.FoldOn(path, p) })
		})
	}
}

// paper returns the papers' network, with fewer blocks and filters.
func paper() nn.Spec {
	s := nntest.Specs()[0]
	s.Blocks, s.Filters, s.Hidden = 1, 32, 20
	return s
}

// large returns a network whose boards are computed in tiles, a few positions at a time.
func large() nn.Spec {
	return nn.Spec{
		Planes: 5, Height: 17, Width: 19, Players: 2, Actions: 17*19 + 1, Blocks: 2,
		Filters: 20, Hidden: 12,
		Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Support: []float32{-1, 0, 1},
	}
}

func evaluate(e nn.Evaluator, observations []float32, rows int) *nn.Batch {
	b := e.NewBatch(rows)
	b.N = rows
	copy(b.Observations, observations)
	e.Evaluate(b)
	return b
}

func TestCPUAgreesWithReference(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, spec := range append(nntest.AllSpecs(), paper(), large()) {
			t.Run(fmt.Sprintf("%+v", spec), func(t *testing.T) {
				rng := random.New(1, random.Test, uint64(index))
				const rows = 19
				p := nntest.Random(spec, rng)
				observations := nntest.Observations(spec, rows, rng)
				want := nntest.NewReference(p).Forward(nntest.Widen(observations), rows, false)
				got := evaluate(nn.NewEvaluator(fold(p)), observations, rows)
				near(t, "policy", nntest.Widen(got.Policy), want.Policy, 1e-5)
				near(t, "values", nntest.Widen(got.Values), want.Values, 1e-5)
			})
		}
	})
}

// TestRowsAreIndependent checks that a row's result is the same to the bit in any
// batch, at any place, and after any other evaluation.
func TestRowsAreIndependent(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, spec := range append(nntest.AllSpecs(), paper(), large()) {
			rng := random.New(2, random.Test, uint64(index))
			const rows = 37
			weights := fold(nntest.Random(spec, rng))
			observations := nntest.Observations(spec, rows, rng)
			length := spec.Planes * spec.Cells()
			all := evaluate(nn.NewEvaluator(weights), observations, rows)
			other := nn.NewEvaluator(weights)
			single, large := other.NewBatch(1), other.NewBatch(rows+5)
			for r := 0; r < rows; r += 4 {
				row := observations[r*length : (r+1)*length]
				n := 1 + rng.IntN(rows+5)
				place := rng.IntN(n)
				copy(large.Observations, nntest.Observations(spec, n, rng))
				if r%8 == 0 { // in another row, or in this one before it is overwritten
					large.Observations[rng.IntN(n*length)] = float32(math.NaN())
				}
				copy(large.Observations[place*length:], row)
				large.N = n
				other.Evaluate(large)
				copy(single.Observations, row)
				single.N = 1
				other.Evaluate(single)
				for _, b := range []struct {
					batch *nn.Batch
					place int
				}{{single, 0}, {large, place}} {
					same(t, spec, "policy", b.batch.Policy, all.Policy, b.place, r)
					same(t, spec, "values", b.batch.Values, all.Values, b.place, r)
				}
			}
		}
	})
}

// TestSmallBatchesOfPresets checks, for networks with several blocks of channels, that batches of 1
// to 40 rows give, to the bit, the results of the same rows in the full batch.
func TestSmallBatchesOfPresets(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, name := range []string{
			"quick", "quick", "turtle", "turtle", "tcg", "tcg", "paper-alphazero", "go5-two-player",
		} {
			spec := nntest.Presets()[name]
			spec.Blocks = 1
			const most = 40
			rng := random.New(12, random.Test, uint64(index))
			e := nn.NewEvaluator(fold(nntest.Random(spec, rng)))
			observations := nntest.Observations(spec, most, rng)
			length := spec.Planes * spec.Cells()
			all, b := evaluate(e, observations, most), e.NewBatch(most)
			for b.N = 1; b.N <= most; b.N++ {
				from := rng.IntN(most - b.N + 1)
				copy(b.Observations, observations[from*length:][:b.N*length])
				e.Evaluate(b)
				for r := range b.N {
					same(t, spec, "policy", b.Policy, all.Policy, r, from+r)
					same(t, spec, "values", b.Values, all.Values, r, from+r)
				}
			}
		}
	})
}

// TestEveryBatchSize checks that batches of 0 to 100 rows give, to the bit, the results of
// each row evaluated alone, and that nothing is written beyond them.
func TestEveryBatchSize(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		spec := nntest.Specs()[7]
		spec.Blocks, spec.Policy = 1, nn.PolicyConv
		rng := random.New(10, random.Test)
		e := nn.NewEvaluator(fold(nntest.Random(spec, rng)))
		const most = 100
		observations := nntest.Observations(spec, most, rng)
		length := spec.Planes * spec.Cells()
		alone, b := make([]*nn.Batch, most), e.NewBatch(most)
		for r := range alone {
			alone[r] = evaluate(e, observations[r*length:(r+1)*length], 1)
		}
		copy(b.Observations, observations)
		for b.N = 0; b.N <= most; b.N++ {
			const untouched = -77
			for i := range b.Policy {
				b.Policy[i] = untouched
			}
			for i := range b.Values {
				b.Values[i] = untouched
			}
			e.Evaluate(b)
			for r := range b.N {
				same(t, spec, "policy", b.Policy, alone[r].Policy, r, 0)
				same(t, spec, "values", b.Values, alone[r].Values, r, 0)
			}
			for _, v := range append(b.Policy[b.N*spec.Actions:], b.Values[b.N*spec.Players:]...) {
				if v != untouched {
					t.Fatalf("%d rows: something was written beyond them", b.N)
				}
			}
		}
	})
}

func same(t *testing.T, spec nn.Spec, what string, got, want []float32, i, j int) {
	t.Helper()
	n := spec.Players
	if what == "policy" {
		if spec.Policy == nn.PolicyNone {
			return
		}
		n = spec.Actions
	}
	for k := range n {
		if a, b := got[i*n+k], want[j*n+k]; math.Float32bits(a) != math.Float32bits(b) {
			t.Fatalf("%+v: %s %d of row %d is %g in another batch, %g in the first",
				spec, what, k, j, a, b)
		}
	}
}

func TestNaNAndInfPassThrough(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for _, spec := range []nn.Spec{nntest.Specs()[0], nntest.Specs()[6], paper()} {
			rng := random.New(3, random.Test)
			p := nntest.Random(spec, rng)
			for _, bad := range []float32{
				float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
			} {
				const rows = 3
				observations := nntest.Observations(spec, rows, rng)
				observations[spec.Planes*spec.Cells()+7] = bad
				e := nn.NewEvaluator(fold(p))
				if compareUnusual(t, e, p, observations, rows) == 0 {
					t.Errorf(
						"input %g: the reference's outputs are all finite; the test shows nothing",
						bad)
				}
			}
		}
	})
}

// compareUnusual compares an evaluator with the reference where numbers may not be finite. It
// returns how many of the reference's outputs are not.
func compareUnusual(
	t *testing.T, e nn.Evaluator, p *nn.Params, observations []float32, rows int,
) int {
	t.Helper()
	want := nntest.NewReference(p).Forward(nntest.Widen(observations), rows, false)
	got := evaluate(e, observations, rows)
	unusual := 0
	for i, w := range append(append([]float64(nil), want.Policy...), want.Values...) {
		g := append(append([]float32(nil), got.Policy...), got.Values...)[i]
		if math.IsNaN(w) || math.IsInf(w, 0) {
			unusual++
			if math.IsNaN(w) != math.IsNaN(float64(g)) ||
				math.IsInf(w, 1) != math.IsInf(float64(g), 1) {
				t.Errorf("number %d is %g, the reference gives %g", i, g, w)
			}
		} else if !(math.Abs(w-float64(g)) < 1e-4) {
			t.Errorf("number %d is %g, the reference gives %g", i, g, w)
		}
	}
	return unusual
}

// TestWeightsThatAreNotFinite checks that NaN and infinity among the weights reach the
// outputs that they reach by the network's definition.
func TestWeightsThatAreNotFinite(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for _, c := range []struct {
			tensor string
			value  float64
			hidden bool // a ReLU turns it into a finite number
		}{
			{"stem.weight", math.Inf(1), false}, {"block.0.1.weight", math.NaN(), false},
			{"block.0.0.beta", math.Inf(-1), true}, {"value.0.hidden.weight", math.NaN(), false},
		} {
			spec := paper()
			rng := random.New(11, random.Test)
			p := nntest.Random(spec, rng)
			p.Get(c.tensor).Data[5] = float32(c.value)
			if compareUnusual(t, nn.NewEvaluator(fold(p)), p, nntest.Observations(spec, 2, rng),
				2) == 0 != c.hidden {
				t.Errorf("%s is %g: the reference's outputs are all finite: %v, want %v",
					c.tensor, c.value, !c.hidden, c.hidden)
			}
		}
	})
}

func TestLinearValueIsNotClamped(t *testing.T) {
	spec := nntest.Specs()[1]
	p := nntest.Random(spec, random.New(4, random.Test))
	p.Get("value.0.output.bias").Data[0] = 50
	got := evaluate(nn.NewEvaluator(nn.Fold(p)),
		nntest.Observations(spec, 1, random.New(5, random.Test)), 1)
	if got.Values[0] < 10 {
		t.Errorf("value %g; a bias of 50 should carry it far above 1", got.Values[0])
	}
}

func TestFoldCopies(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := random.New(6, random.Test)
	p := nntest.Random(spec, rng)
	observations := nntest.Observations(spec, 1, rng)
	e := nn.NewEvaluator(nn.Fold(p))
	before := evaluate(e, observations, 1)
	for _, tensor := range p.Tensors {
		clear(tensor.Data)
	}
	after := evaluate(e, observations, 1)
	same(t, spec, "policy", after.Policy, before.Policy, 0, 0)
	same(t, spec, "values", after.Values, before.Values, 0, 0)
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, spec := range append(nntest.AllSpecs(), paper(), large()) {
			rng := random.New(8, random.Test, uint64(index))
			e := nn.NewEvaluator(fold(nntest.Random(spec, rng)))
			b := evaluate(e, nntest.Observations(spec, 18, rng), 18)
			if n := testing.AllocsPerRun(5, func() { e.Evaluate(b) }); n != 0 {
				t.Errorf("%+v: %g allocations, want none", spec, n)
			}
		}
	})
}
