package backend

import (
	"runtime"

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
func (cpu) Rows() int        { return 0 }

// Kernels is the path's name, with the architecture where that is not amd64 and the name does not
// imply it: compilers for some architectures fuse operations of plain Go, and so round otherwise.
func (cpu) Kernels() string {
	path := kernels.Selected()
	if path == kernels.Portable && runtime.GOARCH != "amd64" {
		return path.String() + "-" + runtime.GOARCH
	}
	return path.String()
}

func (cpu) Load(p *nn.Params) (nn.Network, error) { return nn.Fold(p), nil }

func (cpu) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	t, err := train.New(p, c)
	if err != nil {
		return nil, err // not the nil Trainer in an interface
	}
	return t, nil
}

func (cpu) Close() error { return nil }
