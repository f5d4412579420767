//go:build unix

package training

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn/kernels"
)

// processorTime returns the CPU time of this process, which on a shared core says more
// than wall-clock time.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTrunk computes a trunk and its gradients. Its GFLOP/s are nominal: three times the
// operations of the forward pass by definition, border included.
func BenchmarkTrunk(b *testing.B) {
	for _, path := range kernels.Paths() {
		for _, s := range []Shape{
			{Height: 5, Width: 5, Planes: 6, Filters: 128, Blocks: 8, Rows: 256},
			{Height: 5, Width: 5, Planes: 6, Filters: 64, Blocks: 4, Rows: 256},
			{Height: 5, Width: 5, Planes: 6, Filters: 32, Blocks: 2, Rows: 256},
			{Height: 10, Width: 5, Planes: 27, Filters: 24, Blocks: 2, Rows: 256},
			{Height: 9, Width: 9, Planes: 6, Filters: 64, Blocks: 2, Rows: 64},
		} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%dx%d/%dx%d/workers=%d",
					path, s.Height, s.Width, s.Blocks, s.Filters, workers), func(b *testing.B) {
					p := newProblem(s, random.New(1, random.Test))
					t, err := NewTrunk(path, s, epsilon, workers, true)
					if err != nil {
						b.Fatal(err)
					}
					out := make([]float32, s.Rows*s.Height*s.Width*s.Filters)
					step := func() {
						t.Forward(p.x, p.layers, out)
						t.Backward(p.slope, p.layers, p.gradients)
					}
					step()
					start := processorTime()
					for b.Loop() {
						step()
					}
					spent := (processorTime() - start).Seconds() / float64(b.N)
					nominal := 3 * 2 * 9 * float64(s.Rows*s.Height*s.Width*s.Filters) *
						float64(s.Planes+2*s.Blocks*s.Filters)
					b.ReportMetric(float64(s.Rows)/spent, "positions/cpu-s")
					b.ReportMetric(nominal/spent/1e9, "GFLOP/cpu-s")
				})
			}
		}
	}
}
