package train

import (
	"fmt"
	"testing"

	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/nntest"
)

func goSpec(blocks, filters int) nn.Spec {
	s := nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: blocks, Filters: filters,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64}
	for i := range 26 {
		s.Support = append(s.Support, float32(i)/25)
	}
	return s
}

func BenchmarkStep(b *testing.B) {
	for _, blocks := range []int{2, 4} {
		b.Run(fmt.Sprintf("%dx32", blocks), func(b *testing.B) {
			spec := goSpec(blocks, 32)
			rng := stream.New(seed, stream.Test)
			t, err := New(nntest.Random(spec, rng), DefaultConfig())
			if err != nil {
				b.Fatal(err)
			}
			batch := randomBatch(spec, 256, rng)
			for b.Loop() {
				if _, err := t.Step(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(256*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
