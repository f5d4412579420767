package backend

import (
	"runtime"
	"sync"
	"time"

	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/train"
)

// cpu is the processor: package nn's evaluators and package train's trainer.
type cpu struct{}

// NewCPU is the processor's backend. It holds nothing, and need not be closed.
func NewCPU() Backend { return cpu{} }

func (cpu) Name() string     { return CPU }
func (cpu) Describe() string { return kernels.Selected().String() + " kernels" }
func (cpu) Kernels() string  { return kernels.Selected().String() }
func (cpu) Rows() int        { return 0 }

func (cpu) Load(p *nn.Params) (nn.Network, error) { return nn.Fold(p), nil }

func (cpu) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	t, err := train.New(p, c)
	if err != nil {
		return nil, err // not the nil Trainer in an interface
	}
	return t, nil
}

func (cpu) Precisions() (inference, training string) { return FP32, FP32 }

func (cpu) Readings() []Reading { return nil }
func (cpu) Close() error        { return nil }

// Peaks measures FP32 alone.
func (cpu) Peaks() (Peaks, error) {
	rates := make([]float64, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range rates {
		group.Go(func() { rates[i] = kernels.Paths()[0].PeakFLOPS(300 * time.Millisecond) })
	}
	group.Wait()
	p := Peaks{Why: "of the processor FP32 alone is measured"}
	for _, r := range rates {
		p.FP32 += r
	}
	return p, nil
}
