package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// decayed returns a network whose value head has hardly a unit that still learns, as the weights of
// long runs with training.l2 have been.
func decayed(t testing.TB, scale float32) *Params {
	p, err := NewParams(Spec{
		Planes: 4, Height: 5, Width: 10, Players: 2, Actions: 50, Blocks: 2, Filters: 24,
		Policy: PolicyConv, Value: ValueCategorical, Hidden: 64, Support: []float32{0, 0.5, 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Init(rand.New(rand.NewPCG(1, 2)))
	for _, name := range []string{"value.0.hidden.weight", "value.1.hidden.weight"} {
		w := p.Get(name)
		for i := range len(w.Data) * 7 / 8 {
			w.Data[i] *= scale
		}
	}
	return p
}

func TestWithoutTiny(t *testing.T) {
	p := decayed(t, 0x1p-135)
	before := p.Clone()
	q := withoutTiny(p)
	zeros := 0
	for i, x := range q.Tensors {
		if !slices.Equal(p.Tensors[i].Data, before.Tensors[i].Data) {
			t.Fatalf("%s of the network was changed", x.Name)
		}
		for j, v := range x.Data {
			was := p.Tensors[i].Data[j]
			switch {
			case v == 0 && was != 0:
				zeros++
				if math.Abs(float64(was)) >= tiny {
					t.Fatalf("number %d of %s was %g and is 0", j, x.Name, was)
				}
			case v != was || v != 0 && math.Abs(float64(v)) < tiny:
				t.Fatalf("number %d of %s was %g and is %g", j, x.Name, was, v)
			}
		}
	}
	if least := 2 * 64 * 24 * 50 * 6 / 8; zeros < least {
		t.Errorf("%d numbers became 0, want at least %d", zeros, least)
	}
	if q = decayed(t, 1); withoutTiny(q) != q {
		t.Error("a network without tiny numbers was copied")
	}
	if q.Tensors[0].Data[0] = float32(math.NaN()); withoutTiny(q) != q {
		t.Error("a NaN counts as tiny")
	}
}

// BenchmarkTiny: a network whose weights have decayed is as fast as another.
func BenchmarkTiny(b *testing.B) {
	for name, scale := range map[string]float32{"ordinary": 1, "decayed": 0x1p-135} {
		b.Run(name, func(b *testing.B) {
			e := NewEvaluator(Fold(decayed(b, scale)))
			batch := e.NewBatch(32)
			batch.N = 32
			for i := range batch.Observations {
				batch.Observations[i] = float32(i % 3 / 2)
			}
			for b.Loop() {
				if err := e.Evaluate(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(32*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
