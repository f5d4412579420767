package backend

import (
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/train"
)

// cpu is the processor: package nn's evaluators and package train's trainer.
type cpu struct{}

// NewCPU returns the processor's backend. It need not be closed.
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

func (cpu) Close() error { return nil }
