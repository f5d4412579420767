package training

import (
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// Plan is the plan of a network's training on a device: its kernels and its memory.
type Plan struct {
	spec      nn.Spec
	config    train.Config // whose batch is the device's part of a step's
	precision kernels.Precision
	layout    *layout
	positions int // rows × cells of a batch
	devices   int // that share a step
	index     int // of this one among them

	stem, block, dense linear // dense is the hidden layers over the trunk
	ungraphed          bool   // steps are launched one by one, not by a captured graph
	general            bool   // products and gradients need no shape at compile time
}

// generalise replaces products and gradients by those that need no shape at compile time, which are
// compiled ahead.
func (p *Plan) generalise(d *driver.Device) {
	p.general = true
	for _, l := range []*linear{&p.stem, &p.block, &p.dense} {
		for _, q := range []**kernels.Product{&l.forward, &l.backward} {
			if *q != nil && !(*q).General {
				*q = (*q).AsGeneral(p.precision, d)
			}
		}
		if l.gradient != nil && !l.gradient.General {
			l.gradient = l.gradient.AsGeneral(p.precision)
		}
	}
}

// linear is the plan of a layer whose output is a product: its three passes.
type linear struct {
	forward, backward *kernels.Product // backward gives the gradient of the input; nil for the stem
	gradient          *kernels.Gradient
	// wgmma are plans with which forward and backward may be faster; nil where there is none, and
	// once it was tried.
	wgmma         [2]*kernels.Product
	wgmmaGradient *kernels.Gradient // may replace gradient; nil without one, or once tried
}

// NewPlan returns the plan for a device. It returns an error if spec, config or precision are
// invalid, or a batch has more positions than the kernels can count.
func NewPlan(
	spec nn.Spec, config train.Config, precision kernels.Precision, d *driver.Device,
) (*Plan, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if precision.Validate() != nil || precision == kernels.FP16 {
		return nil,
			fmt.Errorf("training on a device: unknown precision %q; there are bf16, tf32, fp32",
				string(precision))
	}
	if err := precision.On(d); err != nil {
		return nil, fmt.Errorf("training on a device: %w", err)
	}
	if n := float64(config.Batch) * float64(spec.Cells()); n > math.MaxInt32-1<<20 {
		return nil, fmt.Errorf("training on a device: a batch of %d rows has %.3g positions; fewer than 2³¹ - 2²⁰ are possible", config.Batch, n)
	}
	p := &Plan{
		spec: spec, config: config, precision: precision, layout: newLayout(spec),
		positions: config.Batch * spec.Cells(), devices: 1,
	}
	conv := func(in int) kernels.Layer {
		return kernels.Layer{
			Taps: p.layout.taps, Height: spec.Height, Width: spec.Width, In: in,
			Out: p.layout.filters,
		}
	}
	var err error
	if p.stem, err = p.linear(conv(p.layout.planes), p.positions, false, d); err != nil {
		return nil, err
	}
	if spec.Blocks > 0 {
		if p.block, err = p.linear(conv(p.layout.filters), p.positions, true, d); err != nil {
			return nil, err
		}
	}
	p.dense, err = p.linear(kernels.Layer{
		Taps: 1, Height: 1, Width: 1, In: spec.Cells() * p.layout.filters, Out: p.layout.width,
	}, config.Batch, true, d)
	return p, err
}

func (p *Plan) linear(
	l kernels.Layer, positions int, backward bool, d *driver.Device,
) (linear, error) {
	var r linear
	var err error
	if r.forward, err = kernels.NewProduct(l, positions, p.precision, d); err != nil {
		return r, err
	}
	if backward {
		if r.backward, err = kernels.NewProduct(l.Backward(), positions, p.precision,
			d); err != nil {
			return r, err
		}
	}
	for i, q := range []*kernels.Product{r.forward, r.backward} {
		if q != nil {
			r.wgmma[i] = q.AsWGMMA(p.precision, d)
		}
	}
	r.wgmmaGradient = kernels.NewWGMMAGradient(l, positions, p.precision, d)
	r.gradient, err = kernels.NewGradient(l, positions, p.precision, d)
	return r, err
}
