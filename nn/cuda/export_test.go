package cuda

import (
	"tengen/nn"
	"tengen/nn/cuda/kernels"
)

// LoadPlan is Device.Load by a plan of the caller's.
func LoadPlan(d *Device, plan *kernels.Inference, p *nn.Params) (*Weights, error) {
	n, err := d.compile(plan)
	if err != nil {
		return nil, err
	}
	return n.load(p)
}
