package nn_test

import (
	"fmt"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/nntest"
)

// sized returns a network for three-player Go on 5×5.
func sized(blocks, filters int) nn.Spec {
	spec := nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: blocks,
		Filters: filters,
		Policy:  nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64,
		Support: make([]float32, 26)}
	for i := range spec.Support {
		spec.Support[i] = float32(i) / 25
	}
	return spec
}

var benchSizes = []struct{ blocks, filters int }{{2, 32}, {4, 64}, {8, 128}}

// BenchmarkEvaluate reports the nominal operations of the convolutions (border included),
// also as a fraction of the core's peak rate of multiplications and additions.
func BenchmarkEvaluate(b *testing.B) {
	for _, path := range kernels.Paths() {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%dx%d", path, size.blocks, size.filters), func(b *testing.B) {
				const rows = 32
				spec, rng := sized(size.blocks, size.filters), random.New(9, random.Test)
				e := nn.NewEvaluator(nn.FoldOn(path, nntest.Random(spec, rng)))
				batch := evaluate(e, nntest.Observations(spec, rows, rng), rows)
				peak := path.PeakFLOPS(50 * time.Millisecond)
				for b.Loop() {
					e.Evaluate(batch)
				}
				perSecond := float64(rows) * float64(b.N) / b.Elapsed().Seconds()
				c := float64(size.filters)
				rate := perSecond * 450 * (2*float64(size.blocks)*c*c + 6*c)
				b.ReportMetric(perSecond, "positions/s")
				b.ReportMetric(rate/1e9, "nominalGFLOP/s")
				b.ReportMetric(rate/peak, "peaks")
			})
		}
	}
}

// BenchmarkBatch reports the rate of small batches, in rows a second and as a fraction of the
// rate of a batch of 32. Batch sizes take turns, and the fastest turn of each counts, since
// other programs may use the core meanwhile.
func BenchmarkBatch(b *testing.B) {
	for _, network := range []struct {
		name string
		spec nn.Spec
	}{{"quick", nntest.Presets()["quick"]}, {"turtle2x24", nntest.Presets()["turtle"]}} {
		for _, path := range kernels.Paths() {
			b.Run(fmt.Sprintf("%s/%s", network.name, path), func(b *testing.B) {
				const full = 32
				sizes := []int{1, 2, 3, 4, 6, 8, 16, full}
				rng := random.New(9, random.Test)
				e := nn.NewEvaluator(nn.FoldOn(path, nntest.Random(network.spec, rng)))
				batch := evaluate(e, nntest.Observations(network.spec, full, rng), full)
				best := map[int]time.Duration{}
				for b.Loop() {
					for _, batch.N = range sizes {
						for range 4 { // brings the weights that this size reads to the caches
							e.Evaluate(batch)
						}
						start := time.Now()
						for range full / batch.N {
							e.Evaluate(batch)
						}
						if d := time.Since(start) /
							time.Duration(full/batch.N*batch.N); best[batch.N] == 0 ||
							d < best[batch.N] {
							best[batch.N] = d
						}
					}
				}
				for _, n := range sizes {
					b.ReportMetric(1/best[n].Seconds(), fmt.Sprintf("rows/s:%d", n))
					b.ReportMetric(float64(best[full])/float64(best[n]),
						fmt.Sprintf("fraction:%d", n))
				}
			})
		}
	}
}

func BenchmarkFold(b *testing.B) {
	for _, path := range kernels.Paths() {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%dx%d", path, size.blocks, size.filters), func(b *testing.B) {
				p := nntest.Random(sized(size.blocks, size.filters), random.New(9, random.Test))
				for b.Loop() {
					nn.FoldOn(path, p)
				}
			})
		}
	}
}
