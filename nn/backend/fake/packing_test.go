package fake

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/nntest"
)

// BenchmarkSmallBatches evaluates small batches of many goroutines, each with two under way, on a
// modelled H100 with blocks of 10 positions and 10 µs of calls for a batch, with and without packs:
// rows a second, and rows a launch.
func BenchmarkSmallBatches(b *testing.B) {
	params, err := nn.NewParams(nntest.Specs()[0])
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		workers, rows int
	}{{16, 8}, {16, 32}, {64, 4}, {64, 32}, {256, 4}} {
		for _, pack := range []bool{false, true} {
			b.Run(fmt.Sprintf("workers=%d/rows=%d/pack=%v",
				c.workers, c.rows, pack), func(b *testing.B) {
				m := H100().Slower(8)
				m.Block, m.Calls, m.Pack = 10, 10*time.Microsecond, pack
				d := NewModelled(m)
				n, err := d.Load(params)
				if err != nil {
					b.Fatal(err)
				}
				var all sync.WaitGroup
				began := time.Now()
				for range c.workers {
					e := n.NewEvaluator().(nn.Async)
					all.Go(func() {
						pair := [2]*nn.Batch{e.NewBatch(c.rows), e.NewBatch(c.rows)}
						for i := range b.N {
							if x := pair[i%2]; i > 1 {
								_ = e.Wait(x)
							}
							pair[i%2].N = c.rows
							e.Start(pair[i%2])
						}
						for i := range min(2, b.N) {
							_ = e.Wait(pair[i])
						}
					})
				}
				all.Wait()
				seconds := time.Since(began).Seconds()
				u := d.Usage()
				b.ReportMetric(float64(u.Rows)/seconds, "rows/s")
				b.ReportMetric(float64(u.Rows)/float64(u.Batches), "rows/launch")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
