package training

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// choose replaces the kernel of the blocks' gradient by the fastest of its variants, which all have
// the same bits, so that the choice may differ from one time to the next. A variant that does not
// compile or disagrees is left out.
func (b *builder) choose(o cuda.Options) error {
	device := b.ctx.Device()
	best := b.block.gradient
	if best == nil || o.Candidates == 1 || device.Emulated && o.Candidates == 0 {
		return nil // emulated times mean nothing
	}
	variants := best.Variants(b.precision, &device)
	if len(variants) == 0 {
		return nil
	}
	operands, err := b.operands(best)
	if err != nil {
		return nil // memory is too small for measurements
	}
	defer operands.free(b.ctx)
	least, err := b.timeGradient(best, operands)
	if driver.Lost(err) {
		return &checkError{"the blocks' gradient", err}
	}
	if err != nil {
		o.Log.Info("training: no kernels are compared", "why", err)
		return nil
	}
	logTime(o.Log, best, least)
	for _, v := range variants {
		err := b.checkGradient(v)
		var took time.Duration
		if err == nil {
			took, err = b.timeGradient(v, operands)
		}
		if driver.Lost(err) {
			return &checkError{"the blocks' gradient", err}
		}
		if err != nil {
			o.Log.Info("training: a kernel is left out", "kernel", v.Describe(), "why", err)
			continue
		}
		logTime(o.Log, v, took)
		if took < least*97/100 {
			least, b.block.gradient = took, v
		}
	}
	return nil
}

func logTime(log *slog.Logger, g *kernels.Gradient, took time.Duration) {
	log.Info("kernels measured", "way", "gradient", "plan", g.Describe(), "a_layer", took)
}

// operands are the arrays of a gradient.
type operands struct{ x, dz, part driver.Ptr }

func (o *operands) free(ctx driver.Context) {
	for _, p := range []driver.Ptr{o.x, o.dz, o.part} {
		_ = ctx.Free(p) // an error would come again
	}
}

// operands allocates a gradient's arrays, and fills them with numbers other than 0.
func (b *builder) operands(g *kernels.Gradient) (*operands, error) {
	o, element := &operands{}, b.precision.Element()
	var errs error
	for _, a := range []struct {
		at    *driver.Ptr
		bytes int
	}{
		{&o.x, g.Positions * g.Layer.In * element}, {&o.dz, g.Positions * g.Layer.Out * element},
		{&o.part, 4 * g.Workspace()},
	} {
		p, err := b.ctx.Alloc(a.bytes)
		if err == nil {
			*a.at = p
			err = b.ctx.Fill(p, 0x3c, a.bytes, b.stream)
		}
		errs = errors.Join(errs, err)
	}
	if errs != nil {
		o.free(b.ctx)
		return nil, errs
	}
	return o, nil
}

// timeGradient returns the time of a gradient: the least of some, after one that is not counted.
func (b *builder) timeGradient(g *kernels.Gradient, o *operands) (time.Duration, error) {
	l := launch{
		"gradient", b.function(&g.Source, "gradient", g.Shared), g.Grid(),
		g.Shape(driver.NewArgs().Ptr(o.x).Ptr(o.dz).Ptr(o.part).Int32(int32(g.Positions)).
			Int32(int32(g.Length))),
	}
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
		if err == nil {
			err = b.ctx.Record(events[1], b.stream)
		}
		if err == nil {
			err = b.ctx.Synchronize(b.stream)
		}
		if err != nil {
			return 0, fmt.Errorf("time a gradient: %w", err)
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
