//go:build unix

package train

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
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

// BenchmarkStep measures whole steps: graph, heads, losses and Adam. Its GFLOP/s are nominal:
// three times the operations of the trunk's forward pass by definition, border included.
func BenchmarkStep(b *testing.B) {
	for _, size := range [][2]int{{8, 128}, {4, 64}, {2, 32}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dx%d/workers=%d", size[0], size[1], workers), func(b *testing.B) {
				benchmarkStep(b, goSpec(size[0], size[1]), workers)
			})
		}
	}
}

// BenchmarkAuxiliary measures steps without and with the auxiliary heads of Go: the owner of each
// point and each colour's points.
func BenchmarkAuxiliary(b *testing.B) {
	for _, size := range [][2]int{{8, 128}, {4, 64}, {2, 32}} {
		spec := goSpec(size[0], size[1])
		for _, heads := range []nn.Auxiliary{{}, {Cells: []int{spec.Players + 1}, Seats: 1}} {
			spec.Auxiliary = heads
			b.Run(fmt.Sprintf("%dx%d/cells=%d,seats=%d",
				size[0], size[1], len(heads.Cells), heads.Seats), func(b *testing.B) {
				benchmarkStep(b, spec, 1)
			})
		}
	}
}

func benchmarkStep(b *testing.B, spec nn.Spec, workers int) {
	config := DefaultConfig()
	config.Workers, config.LabelWeight = workers, 1
	rng := random.New(seed, random.Test)
	t, err := New(nntest.Random(spec, rng), config)
	if err != nil {
		b.Fatal(err)
	}
	batch := RandomBatch(spec, config.Batch, rng)
	step := func() {
		if _, err := t.Step(batch); err != nil {
			b.Fatal(err)
		}
	}
	step()
	start := processorTime()
	b.ResetTimer()
	for range b.N {
		step()
	}
	b.StopTimer()
	rows := float64(config.Batch) * float64(b.N)
	spent := (processorTime() - start).Seconds()
	nominal := 3 * 18 * float64(spec.Cells()*spec.Filters*(spec.Planes+2*spec.Blocks*spec.Filters))
	b.ReportMetric(rows/b.Elapsed().Seconds(), "positions/s")
	b.ReportMetric(rows/spent, "positions/cpu-s")
	b.ReportMetric(rows/spent*nominal/1e9, "GFLOP/cpu-s")
}

// BenchmarkWays compares the two ways to compute the trunk, by forward and backward passes of a
// whole network.
func BenchmarkWays(b *testing.B) {
	for way, name := range map[int]string{fused: "fused", separate: "separate"} {
		b.Run(name, func(b *testing.B) {
			spec := goSpec(2, 64)
			rng := random.New(seed, random.Test)
			p := nntest.Random(spec, rng)
			n, err := buildWith(newStore[float32](p), 64, 1, true, way)
			if err != nil {
				b.Fatal(err)
			}
			loadInto(n, RandomBatch(spec, 64, rng), 64, 1, 1)
			start := processorTime()
			for range b.N {
				if err := n.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(64*float64(b.N)/(processorTime()-start).Seconds(), "positions/cpu-s")
		})
	}
}
