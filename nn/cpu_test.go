package nn_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/stream"
	"tengen/nn"
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

func evaluate(e nn.Evaluator, observations []float32, rows int) *nn.Batch {
	b := e.NewBatch(rows)
	b.N = rows
	copy(b.Observations, observations)
	e.Evaluate(b)
	return b
}

func TestCPUAgreesWithReference(t *testing.T) {
	for index, spec := range nntest.Specs() {
		t.Run(fmt.Sprintf("%+v", spec), func(t *testing.T) {
			rng := stream.New(1, stream.Test, uint64(index))
			const rows = 19
			p := nntest.Random(spec, rng)
			observations := nntest.Observations(spec, rows, rng)
			want := nntest.FromParams(p).Forward(nntest.Widen(observations), rows, false)
			e := nn.NewEvaluator(nn.Fold(p))
			got := evaluate(e, observations, rows)
			near(t, "policy", nntest.Widen(got.Policy), want.Policy, 1e-5)
			near(t, "values", nntest.Widen(got.Values), want.Values, 1e-5)

			q := nntest.Random(spec, rng)
			e.SetWeights(nn.Fold(q))
			want = nntest.FromParams(q).Forward(nntest.Widen(observations), rows, false)
			got = evaluate(e, observations, rows)
			near(t, "policy after SetWeights", nntest.Widen(got.Policy), want.Policy, 1e-5)
			near(t, "values after SetWeights", nntest.Widen(got.Values), want.Values, 1e-5)
		})
	}
}

// TestRowsAreIndependent holds an evaluator to its promise: a row's result is
// the same to the bit in any batch, at any place, after any other evaluation.
func TestRowsAreIndependent(t *testing.T) {
	for index, spec := range nntest.Specs() {
		rng := stream.New(2, stream.Test, uint64(index))
		const rows = 37
		weights := nn.Fold(nntest.Random(spec, rng))
		observations := nntest.Observations(spec, rows, rng)
		length := spec.Planes * spec.Cells()
		all := evaluate(nn.NewEvaluator(weights), observations, rows)
		other := nn.NewEvaluator(weights)
		single, large := other.NewBatch(1), other.NewBatch(rows+5)
		for r := range rows {
			row := observations[r*length : (r+1)*length]
			n := 1 + rng.IntN(rows+5)
			place := rng.IntN(n)
			copy(large.Observations, nntest.Observations(spec, n, rng))
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
			t.Fatalf("%+v: %s %d of row %d is %g in another batch, %g in the first", spec, what, k, j, a, b)
		}
	}
}

func TestNaNAndInfPassThrough(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := stream.New(3, stream.Test)
	p := nntest.Random(spec, rng)
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		observations := nntest.Observations(spec, 2, rng)
		observations[7] = bad
		want := nntest.FromParams(p).Forward(nntest.Widen(observations), 2, false)
		got := evaluate(nn.NewEvaluator(nn.Fold(p)), observations, 2)
		unusual := 0
		for i, w := range append(append([]float64(nil), want.Policy...), want.Values...) {
			g := append(append([]float32(nil), got.Policy...), got.Values...)[i]
			if math.IsNaN(w) || math.IsInf(w, 0) {
				unusual++
				if math.IsNaN(w) != math.IsNaN(float64(g)) || math.IsInf(w, 1) != math.IsInf(float64(g), 1) {
					t.Errorf("input %g: number %d is %g, the reference gives %g", bad, i, g, w)
				}
			} else if !(math.Abs(w-float64(g)) < 1e-4) {
				t.Errorf("input %g: number %d is %g, the reference gives %g", bad, i, g, w)
			}
		}
		if unusual == 0 {
			t.Errorf("input %g: the reference's outputs are all finite; the test shows nothing", bad)
		}
	}
}

func TestLinearValueIsNotClamped(t *testing.T) {
	spec := nntest.Specs()[1]
	p := nntest.Random(spec, stream.New(4, stream.Test))
	p.Get("value.0.output.bias").Data[0] = 50
	got := evaluate(nn.NewEvaluator(nn.Fold(p)), nntest.Observations(spec, 1, stream.New(5, stream.Test)), 1)
	if got.Values[0] < 10 {
		t.Errorf("value %g; a bias of 50 should carry it far above 1", got.Values[0])
	}
}

func TestFoldCopies(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := stream.New(6, stream.Test)
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

func TestSetWeightsRefusesAnotherNetwork(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("weights of another network were accepted")
		}
	}()
	specs := nntest.Specs()
	rng := stream.New(7, stream.Test)
	nn.NewEvaluator(nn.Fold(nntest.Random(specs[0], rng))).SetWeights(nn.Fold(nntest.Random(specs[7], rng)))
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	for index, spec := range nntest.Specs() {
		rng := stream.New(8, stream.Test, uint64(index))
		e := nn.NewEvaluator(nn.Fold(nntest.Random(spec, rng)))
		b := evaluate(e, nntest.Observations(spec, 18, rng), 18)
		if n := testing.AllocsPerRun(5, func() { e.Evaluate(b) }); n != 0 {
			t.Errorf("%+v: %g allocations, want none", spec, n)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	for _, size := range []struct{ blocks, filters int }{{2, 32}, {4, 32}, {8, 128}} {
		b.Run(fmt.Sprintf("%dx%d", size.blocks, size.filters), func(b *testing.B) {
			spec := nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: size.blocks, Filters: size.filters,
				Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64, Support: make([]float32, 26)}
			for i := range spec.Support {
				spec.Support[i] = float32(i) / 25
			}
			const rows = 32
			rng := stream.New(9, stream.Test)
			e := nn.NewEvaluator(nn.Fold(nntest.Random(spec, rng)))
			batch := evaluate(e, nntest.Observations(spec, rows, rng), rows)
			for b.Loop() {
				e.Evaluate(batch)
			}
			perSecond := float64(rows) * float64(b.N) / b.Elapsed().Seconds()
			c := float64(size.filters)
			b.ReportMetric(perSecond, "positions/s")
			b.ReportMetric(perSecond*450*(2*float64(size.blocks)*c*c+6*c)/1e9, "nominalGFLOP/s")
		})
	}
}
