package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/nn"
	"tengen/nn/kernels"
)

// kernelPath returns the name of the kernels selected for this processor.
var kernelPath = func() string { return kernels.Selected().String() }

// peakFLOPS runs independent fused multiplications and additions in FP32 on the calling goroutine
// for about the given time and returns the FLOP/s reached, two per multiplication and addition. It
// measures the processor's peak, whichever kernels are selected.
var peakFLOPS = func(d time.Duration) float64 { return kernels.Paths()[0].PeakFLOPS(d) }

// peakTime is the longest duration of a measurement of the peak, enough for the processor's clock
// to settle.
const peakTime = 300 * time.Millisecond

// processor describes the processor and its peaks, with which rates are compared.
type processor struct {
	Cores int `json:"cores"`
	// the code chosen for this processor
	Kernels string `json:"kernels"`
	// FP32, measured; null where this build can't
	OneCore *float64 `json:"peak_gflop_per_second_one_core"`
	All     *float64 `json:"peak_gflop_per_second_all_cores"` // likewise
	// so far; null where the system does not tell
	Memory *uint64 `json:"peak_memory_bytes_of_this_process"`
}

// measureMachine measures the peak on one core, then on all, each for as long as other measurements
// take, or for peakTime.
func measureMachine(ctx context.Context, d time.Duration) (*processor, error) {
	m := &processor{Cores: cli.Cores(), Kernels: kernelPath()}
	if peakFLOPS != nil {
		d = min(d, peakTime)
		one, all := peakOn(1, d), peakOn(cli.Cores(), d)
		m.OneCore, m.All = &one, &all
	}
	return m, ctx.Err()
}

// peakOn returns the sum of the peaks, in GFLOP/s, of concurrent goroutines.
func peakOn(workers int, d time.Duration) float64 {
	rates := make([]float64, workers)
	var group sync.WaitGroup
	for i := range rates {
		group.Go(func() { rates[i] = peakFLOPS(d) })
	}
	group.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r / 1e9
	}
	return sum
}

func (m *processor) String() string {
	if m.OneCore == nil {
		return fmt.Sprintf("kernels: %s; the peak of FP32 is not measured", m.Kernels)
	}
	text := fmt.Sprintf("kernels: %s; peak of FP32: %.1f GFLOP/s on one core",
		m.Kernels, *m.OneCore)
	if m.Cores > 1 {
		text += fmt.Sprintf(", %.1f on %d cores", *m.All, m.Cores)
	}
	return text
}

// speed is the speed of a network on the processor, and its ratio to the peak.
type speed struct {
	Batch     int     `json:"batch"` // positions at a time
	OneCore   float64 `json:"positions_per_second_one_core"`
	AllCores  float64 `json:"positions_per_second_all_cores"`
	OneGFLOPS float64 `json:"gflop_per_second_one_core"` // nominal
	AllGFLOPS float64 `json:"gflop_per_second_all_cores"`
	// nominal rate ÷ peak; above 1 where kernels save operations
	OneOfPeak *float64 `json:"of_peak_one_core"`
	AllOfPeak *float64 `json:"of_peak_all_cores"`
}

// newSpeed computes a speed from the rates on one core and on all, for a network with the given
// nominal operations per position.
func newSpeed(m *processor, batch int, one, all, operations float64) speed {
	s := speed{
		Batch: batch, OneCore: one, AllCores: all, OneGFLOPS: one * operations / 1e9,
		AllGFLOPS: all * operations / 1e9,
	}
	if m.OneCore != nil {
		a, b := s.OneGFLOPS / *m.OneCore, s.AllGFLOPS / *m.All
		s.OneOfPeak, s.AllOfPeak = &a, &b
	}
	return s
}

func (s *speed) figures(what string) []cli.Figure {
	line := func(rate, gflops float64, ofPeak *float64) string {
		text := fmt.Sprintf("%s (%.1f GFLOP/s", cli.Grouped(rate), gflops)
		if ofPeak != nil {
			text += fmt.Sprintf(", %.2f × peak", *ofPeak)
		}
		return text + ")"
	}
	list := []cli.Figure{{what + " on one core", line(s.OneCore, s.OneGFLOPS, s.OneOfPeak)}}
	if cli.Cores() == 1 {
		return list
	}
	return append(list,
		cli.Figure{onAllCores(what), line(s.AllCores, s.AllGFLOPS, s.AllOfPeak)},
		cli.Figure{"all cores ÷ one", fmt.Sprintf("%.2f", s.AllCores/s.OneCore)})
}

// operations returns the number of floating-point operations per position: two for each weight of
// a dense layer, and for each weight and cell of a convolution's Taps.
func operations(s nn.Spec) float64 {
	cells, taps := s.Cells(), s.Taps()
	n := taps * s.Planes * s.Filters * cells
	n += s.Blocks * 2 * taps * s.Filters * s.Filters * cells
	switch s.Policy {
	case nn.PolicyConv:
		n += s.Filters * cells
	case nn.PolicyConvPass:
		n += s.Filters*cells + s.Filters
	case nn.PolicyDense:
		n += 2*s.Filters*cells + 2*cells*s.Actions
	}
	n += s.Players * (s.Filters*cells*s.Hidden + s.Hidden*s.Outputs())
	return 2 * float64(n)
}
