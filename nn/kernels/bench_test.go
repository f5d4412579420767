package kernels

import (
	"fmt"
	"testing"
	"time"

	"tengen/internal/random"
)

// BenchmarkConvolution reports nominal operations: two per weight and cell, border included.
func BenchmarkConvolution(b *testing.B) {
	for _, p := range Paths() {
		for _, s := range []struct {
			height, width, channels int
		}{
			{5, 5, 128}, {5, 5, 64}, {5, 5, 32}, {3, 3, 64}, {6, 7, 64}, {9, 9, 64}, {11, 11, 64},
			{13, 13, 64}, {15, 15, 64}, {19, 19, 64},
		} {
			b.Run(fmt.Sprintf("%s/%dx%d/%d", p, s.height, s.width, s.channels), func(b *testing.B) {
				board := NewBoard(p, s.height, s.width)
				rng := random.New(1, random.Test)
				x, y := board.Activations(s.channels), board.Activations(s.channels)
				rows := board.Part()
				board.Load(x, rows, s.channels, numbers(rng, rows*s.channels*board.Cells()))
				c := NewConvolution(board, s.channels, s.channels,
					numbers(rng, s.channels*s.channels*9), numbers(rng, s.channels))
				space := NewSpace(board, s.channels)
				peak := p.PeakFLOPS(50 * time.Millisecond)
				for b.Loop() {
					c.Apply(space, rows, y, x, nil)
				}
				rate := float64(rows*s.channels*s.channels*18*board.Cells()) * float64(b.N) /
					b.Elapsed().Seconds()
				b.ReportMetric(rate/1e9, "nominalGFLOP/s")
				b.ReportMetric(rate/peak, "peaks")
			})
		}
	}
}
