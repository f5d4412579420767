package training

import (
	"errors"
	"fmt"
	"time"

	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// candidate is a kernel of the blocks' layers that may be used.
type candidate struct {
	what, plan string
	check      func() error
	launch     func(x, y, other driver.Ptr) launch
	use        func()
}

// choose replaces the kernels of the blocks' layers by the fastest of their variants, which all
// have the same bits, so that the choice may differ from one time to the next. A variant that does
// not compile or disagrees is left out.
func (b *builder) choose(o cuda.Options) error {
	device := b.ctx.Device()
	if b.spec.Blocks == 0 || o.Candidates == 1 || device.Emulated && o.Candidates == 0 {
		return nil // emulated times mean nothing
	}
	if err := b.chooseGradient(o, &device); err != nil {
		return err
	}
	return b.chooseProduct(o, &device)
}

// chooseGradient chooses the gradient of a block's convolution.
func (b *builder) chooseGradient(o cuda.Options, device *driver.Device) error {
	g := b.block.gradient
	variants := g.Variants(b.precision, device)
	if len(variants) == 0 {
		return nil
	}
	var list []candidate
	for _, g := range append([]*kernels.Gradient{g}, variants...) {
		list = append(list, candidate{
			"gradient", g.Describe(),
			func() error { return b.checkGradient(g) },
			func(x, dz, part driver.Ptr) launch {
				return launch{
					"gradient", b.function(&g.Source, "gradient", g.Shared), g.Grid(),
					driver.NewArgs().Ptr(x).Ptr(dz).Ptr(part).Int32(int32(g.Positions)).
						Int32(int32(g.Length)),
				}
			},
			func() { b.block.gradient = g },
		})
	}
	return b.fastest(o, list, g.Layer, 4*g.Workspace())
}

// chooseProduct chooses the product of a block's convolution, forward and backward, which are the
// same for as many channels.
func (b *builder) chooseProduct(o cuda.Options, device *driver.Device) error {
	p, back := b.block.forward, b.block.backward
	variants := p.Variants(b.precision, device)
	if len(variants) == 0 || back.Plain || back.Layer != p.Layer {
		return nil
	}
	var list []candidate
	for _, p := range append([]*kernels.Product{p}, variants...) {
		list = append(list, candidate{
			"product", p.Describe(),
			func() error { return b.checkProduct(p, p.AsPlain(b.precision)) },
			func(x, y, w driver.Ptr) launch {
				return launch{
					"product", b.function(&p.Source, "product", p.Shared), p.Grid(b.positions),
					driver.NewArgs().Ptr(x).Ptr(w).Ptr(0).Ptr(y).Int32(int32(b.positions)),
				}
			},
			func() { b.block.forward, b.block.backward = p, p },
		})
	}
	return b.fastest(o, list, p.Layer, p.Layer.Weights()*b.precision.Element())
}

// fastest uses the fastest of some kernels of a layer, of which the first is in use and was
// checked. Another one must be clearly faster. other is the size in bytes of the weights or of the
// gradient's parts. Kernels are compared in memory of their own; where it is too small for that,
// the first is kept.
func (b *builder) fastest(o cuda.Options, list []candidate, l kernels.Layer, other int) error {
	row := b.positions * b.precision.Element()
	var memory [3]driver.Ptr
	defer func() {
		for _, p := range memory {
			_ = b.ctx.Free(p) // an error would come again
		}
	}()
	for i, bytes := range []int{row * l.In, row * l.Out, other} {
		p, err := b.ctx.Alloc(bytes)
		if err == nil {
			memory[i] = p
			err = b.ctx.Fill(p, 0x3c, bytes, b.stream) // other numbers than 0
		}
		if driver.Lost(err) {
			return &checkError{"the blocks' " + list[0].what, err}
		}
		if err != nil {
			o.Log.Info("training: no kernels are compared", "of", list[0].what, "why", err)
			return nil
		}
	}
	least := time.Duration(0)
	for i, c := range list {
		var err error
		if i > 0 {
			err = c.check()
		}
		var took time.Duration
		if err == nil {
			took, err = b.time(c.launch(memory[0], memory[1], memory[2]))
		}
		if driver.Lost(err) {
			return &checkError{"the blocks' " + c.what, err}
		}
		if err != nil {
			o.Log.Info("training: a kernel is left out", "of", c.what, "plan", c.plan, "why", err)
			if i == 0 {
				return nil
			}
			continue
		}
		o.Log.Info("kernels measured", "way", c.what, "plan", c.plan, "a_layer", took)
		if i == 0 || took < least*97/100 {
			least = took
			c.use()
		}
	}
	return nil
}

// time returns the time of a launch: the least of some, after one that is not counted.
func (b *builder) time(l launch) (time.Duration, error) {
	if err := b.err; err != nil {
		b.err = nil
		return 0, err
	}
	var events [2]driver.Event
	for i := range events {
		e, err := b.ctx.NewEvent(true)
		if err != nil {
			return 0, err
		}
		events[i] = e
		defer b.ctx.CloseEvent(e)
	}
	const rounds, launches = 4, 4
	least := time.Duration(0)
	for round := range rounds {
		err := b.ctx.Record(events[0], b.stream)
		for range launches {
			if err == nil {
				err = program{l}.run(b.ctx, b.stream)
			}
		}
		err = errors.Join(err, b.ctx.Record(events[1], b.stream))
		if err == nil {
			err = b.ctx.Synchronize(b.stream)
		}
		if err != nil {
			return 0, fmt.Errorf("time a %s: %w", l.name, err)
		}
		took, err := b.ctx.Elapsed(events[0], events[1])
		if err != nil {
			return 0, err
		}
		if round > 0 && (least == 0 || took < least) {
			least = took
		}
	}
	return least / launches, nil
}
