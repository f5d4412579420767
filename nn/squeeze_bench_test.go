package nn_test

import (
	"fmt"
	"testing"
	"time"

	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/nntest"
)

// BenchmarkSqueeze reports the rate of networks with squeeze-and-excitation as a fraction of that of the
// same network without, by the number of rows in a batch. The two take turns, and the fastest turn of
// each counts, since other programs may use the core meanwhile.
func BenchmarkSqueeze(b *testing.B) {
	for _, network := range []struct {
		name string
		spec nn.Spec
	}{{"go5-4x64", sized(4, 64)}, {"turtle-2x24", nntest.Presets()["turtle"]}, {"tcg-2x32", nntest.Presets()["tcg"]}, {"go7-4x64", nntest.Presets()["go7-three-players"]}} {
		for _, path := range kernels.Paths() {
			b.Run(fmt.Sprintf("%s/%s", network.name, path), func(b *testing.B) {
				const full = 32 // rows a turn: about a millisecond
				sizes := []int{1, 4, 16, full}
				rng := stream.New(9, stream.Test)
				squeezed := network.spec
				squeezed.Squeeze = nn.SqueezeUnits(squeezed.Filters)
				var evaluators [2]*nn.CPU
				var batches [2]*nn.Batch
				for i, s := range []nn.Spec{network.spec, squeezed} {
					evaluators[i] = nn.NewEvaluator(nn.FoldOn(path, nntest.Random(s, rng)))
					batches[i] = evaluate(evaluators[i], nntest.Observations(s, full, rng), full)
				}
				best := map[int][2]time.Duration{}
				for b.Loop() {
					for _, n := range sizes {
						times := best[n]
						for i, e := range evaluators {
							batches[i].N = n
							start := time.Now()
							for range full / n {
								e.Evaluate(batches[i])
							}
							if d := time.Since(start); times[i] == 0 || d < times[i] {
								times[i] = d
							}
						}
						best[n] = times
					}
				}
				b.ReportMetric(full/best[full][0].Seconds(), "plain/s")
				for _, n := range sizes {
					b.ReportMetric(float64(best[n][0])/float64(best[n][1]), fmt.Sprintf("ratio_%drows", n))
				}
			})
		}
	}
}
