package training

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"time"

	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// checkedPositions is the approximate number of positions on which a tiled kernel is checked: a
// full tile and a partial one.
const checkedPositions = 150

// checkLimit is the maximum difference between the results of a tiled kernel and the plain one,
// as measured by cuda.Deviation. Rounding causes at most a hundredth.
const checkLimit = 0.05

// errDisagrees reports that a kernel can't be trusted.
var errDisagrees = errors.New("its results differ from the plain kernel's")

// checkError is an error that prevented the check of a kernel.
type checkError struct {
	what string
	err  error
}

func (e *checkError) Error() string { return "check " + e.what + ": " + e.err.Error() }
func (e *checkError) Unwrap() error { return e.err }

// check compares each tiled kernel of the plan with the plain one on random numbers, and tries
// those with wgmma in place of tiled ones that are right. It replaces a tiled kernel that does
// not compile, that disagrees or that loses the device by the plain one, which is slow; if the
// device is lost, it also returns an error. It detects kernels that compute something else, not a
// lack of precision.
func (b *builder) check(log *slog.Logger, s *stages) error {
	for _, l := range []namedLayer{
		{"the stem", &b.stem}, {"the blocks", &b.block}, {"the value's hidden layer", &b.dense},
	} {
		checked := false
		for i, p := range []**kernels.Product{&l.forward, &l.backward} {
			tiled := *p
			if tiled == nil || tiled.Plain {
				continue
			}
			*p = tiled.AsPlain(b.precision)
			ok, err := trusted(log, l.name+"'s product", b.checkProduct(tiled, *p))
			if err != nil {
				return err
			}
			if ok {
				plain := *p
				*p = tiled
				if *p, err = b.tryWGMMA(log, &l, i, tiled, plain); err != nil {
					return err
				}
			}
			checked = true
		}
		if checked {
			s.done("check of " + l.name + "'s product")
		}
		tiled := l.gradient
		if tiled == nil || tiled.Plain {
			continue
		}
		l.gradient = tiled.AsPlain(b.precision)
		ok, err := trusted(log, l.name+"'s gradient", b.checkGradient(tiled, l.gradient))
		if err != nil {
			return err
		}
		if ok {
			plain := l.gradient
			l.gradient = tiled
			if err := b.tryWGMMAGradient(log, &l, plain); err != nil {
				return err
			}
		}
		s.done("check of " + l.name + "'s gradient")
	}
	return nil
}

// namedLayer is a layer with its name in messages.
type namedLayer struct {
	name string
	*linear
}

// compile compiles all that the plan and its check need, and returns how many sources there are.
// What does not compile is reported where it is used.
func (b *builder) compile() int {
	var list []driver.Source
	for _, l := range []*linear{&b.stem, &b.block, &b.dense} {
		for _, p := range []*kernels.Product{l.forward, l.backward} {
			if p != nil {
				list = append(list, p.Source, p.AsPlain(b.precision).Source)
			}
		}
		for _, p := range l.wgmma {
			if p != nil {
				list = append(list, p.Source)
			}
		}
		if l.gradient != nil {
			list = append(list, l.gradient.Source, l.gradient.AsPlain(b.precision).Source)
		}
		if l.wgmmaGradient != nil {
			list = append(list, l.wgmmaGradient.Source)
		}
	}
	for _, file := range []string{
		kernels.TrainNorm, kernels.TrainHeads, kernels.TrainUpdate, kernels.TrainCheck,
	} {
		list = append(list, kernels.TrainingSource(file, b.precision))
	}
	for i := range list {
		_, _ = b.module(&list[i])
	}
	return len(b.loaded)
}

// trusted reports whether a kernel passed its check. It returns an error if training can't
// continue.
func trusted(log *slog.Logger, what string, err error) (bool, error) {
	var compile *driver.CompileError
	if err == nil {
		return true, nil
	}
	if errors.Is(err, errDisagrees) || errors.As(err, &compile) {
		log.Warn("training: a slow kernel replaces a fast one", "of", what, "why", err)
		return false, nil
	}
	return false, &checkError{what, err}
}

// boards returns a number of positions that is a multiple of a board's cells.
func boards(l kernels.Layer) int {
	cells := l.Height * l.Width
	return (checkedPositions + cells - 1) / cells * cells
}

// tryWGMMA returns a layer's product with wgmma, of forward or backward, if it agrees with the
// plain one and, on a device, is clearly faster than the tiled one, which has other last bits:
// equal devices should make equal choices. Otherwise, and where there is none, it returns the tiled
// one, and none is tried for the layer any more.
func (b *builder) tryWGMMA(
	log *slog.Logger, l *namedLayer, i int, tiled, plain *kernels.Product,
) (*kernels.Product, error) {
	fast, other := l.wgmma[i], l.wgmma[1-i]
	if fast == nil {
		return tiled, nil
	}
	what := l.name + "'s product with wgmma"
	l.wgmma = [2]*kernels.Product{}
	err := b.checkProduct(fast, plain)
	if missing := new(driver.LibraryError); errors.As(err, &missing) {
		return tiled, nil
	}
	ok, err := trusted(log, what, err)
	if err != nil || !ok {
		return tiled, err
	}
	var times [2]time.Duration
	if device := b.ctx.Device(); !device.Emulated { // emulated times mean nothing
		for i, p := range []*kernels.Product{fast, tiled} {
			if times[i], err = b.timeProduct(p); err != nil {
				return tiled, &checkError{what, err}
			}
		}
		log.Info("training: kernels measured", "of", what, "time", times[0], "mma.sync", times[1])
		if times[0] > times[1]*9/10 {
			return tiled, nil
		}
	}
	l.wgmma[1-i] = other
	return fast, nil
}

// mostTimed bounds the size of each array of a product that is timed, in bytes.
const mostTimed = 128 << 20

// timeProduct returns the time of a product of a batch's positions, or of as many as there is
// memory for: the shortest of three.
func (b *builder) timeProduct(p *kernels.Product) (least time.Duration, err error) {
	l, element := p.Layer, b.precision.Element()
	n := min(b.positions, mostTimed/element/max(l.In, l.Out))
	rng := rand.New(rand.NewPCG(3, 4)) // products of zeros would take less power and time
	var memory [3]driver.Ptr
	defer func() {
		for _, p := range memory {
			_ = b.ctx.Free(p)
		}
	}()
	for i, size := range []int{n * l.In, l.Weights(), n * l.Out} {
		if memory[i], err = b.ctx.Alloc(size * element); err != nil {
			return 0, err
		}
		if i == 2 {
			break
		}
		if err = b.ctx.CopyIn(memory[i], b.randomElements(size, rng), b.stream); err != nil {
			return 0, err
		}
	}
	return b.time(program{b.productLaunch(p, memory[0], memory[1], memory[2], n)})
}

// tryWGMMAGradient replaces a layer's gradient by that with wgmma if tryWGMMA would.
func (b *builder) tryWGMMAGradient(
	log *slog.Logger, l *namedLayer, plain *kernels.Gradient,
) error {
	fast := l.wgmmaGradient
	if fast == nil {
		return nil
	}
	what := l.name + "'s gradient with wgmma"
	l.wgmmaGradient = nil
	err := b.checkGradient(fast, plain)
	if missing := new(driver.LibraryError); errors.As(err, &missing) {
		return nil
	}
	ok, err := trusted(log, what, err)
	if err != nil || !ok {
		return err
	}
	var times [2]time.Duration
	if device := b.ctx.Device(); !device.Emulated {
		for i, g := range []*kernels.Gradient{fast, l.gradient} {
			if times[i], err = b.timeGradient(g); err != nil {
				return &checkError{what, err}
			}
		}
		log.Info("training: kernels measured", "of", what, "time", times[0], "mma.sync", times[1],
			"plan", fast.Describe())
		if times[0] > times[1]*9/10 {
			return nil
		}
	}
	l.gradient = fast
	return nil
}

// timeGradient is timeProduct of a gradient and the sum of its parts.
func (b *builder) timeGradient(g *kernels.Gradient) (time.Duration, error) {
	l, element := g.Layer, b.precision.Element()
	g = g.Over(min(g.Positions, mostTimed/element/max(l.In, l.Out)))
	rng := rand.New(rand.NewPCG(3, 4))
	before := b.buffers
	defer func() { b.buffers = before }()
	var x, dz driver.Ptr
	for _, m := range []struct {
		at      *driver.Ptr
		numbers int // random elements, or
		floats  int
	}{
		{&x, g.Positions * l.In, 0}, {&dz, g.Positions * l.Out, 0},
		{&b.part, 0, g.Workspace()}, {&b.gradients, 0, l.Weights()},
	} {
		p, err := b.ctx.Alloc(m.numbers*element + 4*m.floats)
		if err != nil {
			return 0, err
		}
		defer b.ctx.Free(p)
		if *m.at = p; m.numbers > 0 {
			err = b.ctx.CopyIn(p, b.randomElements(m.numbers, rng), b.stream)
		}
		if err != nil {
			return 0, err
		}
	}
	var run program
	b.to = &run
	b.gradient(g, x, dz, 0)
	b.sumParts(0, noSlopes())
	return b.time(run)
}

// time returns the time of a program: the shortest of three.
func (b *builder) time(run program) (least time.Duration, err error) {
	if err := b.err; err != nil {
		b.err = nil
		return 0, err
	}
	var events [2]driver.Event
	for i := range events {
		if events[i], err = b.ctx.NewEvent(true); err != nil {
			return 0, err
		}
		defer b.ctx.CloseEvent(events[i])
	}
	for i := range 4 { // the first takes longer
		err = b.ctx.Record(events[0], b.stream)
		if err == nil {
			err = run.run(b.ctx, b.stream)
		}
		if err == nil {
			err = b.ctx.Record(events[1], b.stream)
		}
		if err == nil {
			err = b.ctx.SynchronizeEvent(events[1])
		}
		var t time.Duration
		if err == nil {
			t, err = b.ctx.Elapsed(events[0], events[1])
		}
		if err != nil {
			return 0, err
		}
		if i == 1 || i > 1 && t < least {
			least = t
		}
	}
	return least, nil
}

// productLaunch is the launch of a product without something that is added.
func (b *builder) productLaunch(p *kernels.Product, x, w, y driver.Ptr, n int) launch {
	return launch{
		"product", b.function(&p.Source, "product", p.Shared), p.Grid(n),
		productArgs(p, x, w, 0, y, n, norm{}),
	}
}

func (b *builder) checkProduct(p, plain *kernels.Product) error {
	l := p.Layer
	n := boards(l)
	if p.WGMMA {
		n *= 2 // one block then has a whole tile and a small one
	}
	return b.compare(n*l.In, l.Weights(), n*l.Out*b.precision.Element(), func(
		x, w, y driver.Ptr, isPlain bool,
	) *launch {
		q := p
		if isPlain {
			q = plain
		}
		run := b.productLaunch(q, x, w, y, n)
		if q.WGMMA {
			run.grid.Blocks[0] = 1
		}
		return &run
	})
}

func (b *builder) checkGradient(g, plain *kernels.Gradient) error {
	l := g.Layer
	n := boards(l)
	length := n / 2 // of the first of two parts
	if g.WGMMA {
		n *= 3
		length = n * 9 / 10 // more stages than there are in shared memory
	}
	return b.compare(n*l.In, n*l.Out, -4*2*l.Weights(), func(
		x, dz, part driver.Ptr, isPlain bool,
	) *launch {
		q := g
		if isPlain {
			q = plain
		}
		q = q.Over(n)
		q.Parts, q.Length = 2, (length+31)/32*32
		return &launch{"gradient", b.function(&q.Source, "gradient", q.Shared), q.Grid(),
			q.Shape(driver.NewArgs().Ptr(x).Ptr(dz).Ptr(part).Int32(int32(n)).
				Int32(int32(q.Length)))}
	})
}

// compare runs two launches on the same random elements: first and second are the sizes of the
// operands. result is the size of the result, in bytes of elements or, if negative, of floats.
func (b *builder) compare(
	first, second, result int, launch func(x, y, result driver.Ptr, plain bool) *launch,
) error {
	rng := rand.New(rand.NewPCG(3, 4)) // the same numbers on every device
	element := b.precision.Element()
	if result < 0 {
		element, result = 4, -result
	}
	var memory [3]driver.Ptr
	defer func() {
		for _, p := range memory {
			_ = b.ctx.Free(p)
		}
	}()
	operands := [][]byte{
		b.randomElements(first, rng), b.randomElements(second, rng), make([]byte, result),
	}
	for i, data := range operands {
		var err error
		if memory[i], err = b.ctx.Alloc(len(data)); err != nil {
			return err
		}
		if err := b.ctx.CopyIn(memory[i], data, b.stream); err != nil {
			return err
		}
	}
	var results [2][]float32
	for i, plain := range []bool{true, false} {
		// Unwritten results are NaN.
		if err := b.ctx.Fill(memory[2], 0xff, result, b.stream); err != nil {
			return err
		}
		run := program{*launch(memory[0], memory[1], memory[2], plain)}
		if err := b.err; err != nil {
			b.err = nil
			return err
		}
		if err := run.run(b.ctx, b.stream); err != nil {
			return err
		}
		if err := b.ctx.CopyOut(operands[2], memory[2], b.stream); err != nil {
			return err
		}
		if err := b.ctx.Synchronize(b.stream); err != nil {
			return err
		}
		results[i] = widen(operands[2], element)
	}
	if d := cuda.Deviation(results[1], results[0]); !(d <= checkLimit) {
		return fmt.Errorf("%w by up to %.3g times their spread", errDisagrees, d)
	}
	return nil
}

// mostRandom is the number of random numbers after which they repeat: a prime number, so that they
// do not in the same places of a layer.
const mostRandom = 65521

// randomElements returns random numbers in the device's format.
func (b *builder) randomElements(n int, rng *rand.Rand) []byte {
	x := make([]float32, min(n, mostRandom))
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	some := driver.Bytes(x)
	if b.precision == kernels.BF16 {
		short := make([]uint16, len(x))
		for i, v := range x {
			short[i] = uint16(math.Float32bits(v) >> 16)
		}
		some = driver.Bytes(short)
	}
	all := make([]byte, n*b.precision.Element())
	for rest := all; len(rest) > 0; {
		rest = rest[copy(rest, some):]
	}
	return all
}

// widen converts elements of a size in bytes to float32.
func widen(b []byte, element int) []float32 {
	if element == 4 {
		return append([]float32(nil), driver.View[float32](b)...)
	}
	short := driver.View[uint16](b)
	x := make([]float32, len(short))
	for i, v := range short {
		x[i] = math.Float32frombits(uint32(v) << 16)
	}
	return x
}
