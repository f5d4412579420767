package training

import (
	"fmt"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// launch is a kernel with its arguments, reused by all steps.
type launch struct {
	name     string
	function driver.Function
	grid     driver.Grid
	args     *driver.Args
}

// program is a sequence of launches.
type program []launch

// run enqueues the launches.
func (p program) run(ctx driver.Context, s driver.Stream) error {
	for i := range p {
		if err := ctx.Launch(p[i].function, p[i].grid, s, p[i].args); err != nil {
			return fmt.Errorf("%s: %w", p[i].name, err)
		}
	}
	return nil
}

// programs are a trainer's programs.
type programs struct {
	pack     program // packs the weights for the products
	training program // forward with the batch's statistics, losses, backward, the decision
	// of several devices: adds a shard of their gradients, before the decision, which is in update
	join     program
	update   program // the step, if it is taken, and pack
	held     program // forward with the running statistics, losses
	exchange program // the state and the kept one, and pack
	compare  program // sets a flag if the state or the results are not the kept ones
	repeats  program // sets it if rows that repeat others have other activations or gradients
	few      program // gradients, also over the rows that are repeated, into the kept copy
}

// builder builds programs. It keeps the first error.
type builder struct {
	*Plan
	buffers
	ctx      driver.Context
	stream   driver.Stream
	load     func(driver.Source) (driver.Module, error)
	loaded   map[string]driver.Module // by source key
	sources  map[string]*driver.Source
	modules  map[*driver.Source]driver.Module
	programs programs
	err      error

	to     *program // receives launches
	sums   []sum    // that sumParts will make
	outers []outer  // that outerParts will
	few    int      // rows over which gradients of weights are also computed, into the kept copy
}

// function returns a kernel; each source is compiled once.
func (b *builder) function(source *driver.Source, name string, shared int) driver.Function {
	if b.err != nil {
		return 0
	}
	m, ok := b.modules[source]
	if !ok {
		if m, b.err = b.module(source); b.err != nil {
			return 0
		}
		b.modules[source] = m
	}
	var f driver.Function
	if f, b.err = b.ctx.Function(m, name); b.err == nil && shared > 48<<10 {
		b.err = b.ctx.AllowShared(f, shared)
	}
	return f
}

// module returns a source's module, loaded once.
func (b *builder) module(source *driver.Source) (driver.Module, error) {
	key := source.Key()
	if m, ok := b.loaded[key]; ok {
		return m, nil
	}
	m, err := b.load(*source)
	if err == nil {
		b.loaded[key] = m
	}
	return m, err
}

func (b *builder) add(
	source *driver.Source, name string, grid driver.Grid, args *driver.Args,
) *driver.Args {
	f := b.function(source, name, grid.Shared)
	*b.to = append(*b.to, launch{name, f, grid, args})
	return args
}

// kernel adds a launch of a kernel that needs no shape at compile time, with blocks of 256
// threads.
func (b *builder) kernel(file, name string, x, y int, args *driver.Args) *driver.Args {
	if b.sources[file] == nil {
		s := kernels.TrainingSource(file, b.precision)
		b.sources[file] = &s
	}
	return b.add(b.sources[file], name,
		driver.Grid{Blocks: [3]int{x, y, 1}, Threads: [3]int{256, 1, 1}}, args)
}

// each is kernel with one thread for each of n items.
func (b *builder) each(file, name string, n int, args *driver.Args) *driver.Args {
	return b.kernel(file, name, (n+255)/256, 1, args)
}

// floats returns the address n floats after p, elements that n activations after p.
func floats(p driver.Ptr, n int) driver.Ptr { return p + driver.Ptr(4*n) }
func (b *builder) elements(p driver.Ptr, n int) driver.Ptr {
	return p + driver.Ptr(n*b.precision.Element())
}
func (b *builder) number(at int) driver.Ptr     { return floats(b.numbers, at) }
func (b *builder) gradientOf(at int) driver.Ptr { return floats(b.gradients, at) }
func (b *builder) layerOf(p driver.Ptr, layer int) driver.Ptr {
	return b.elements(p, layer*b.positions*b.layout.filters)
}
func (b *builder) channelsOf(p driver.Ptr, layer int) driver.Ptr {
	return floats(p, layer*b.layout.filters)
}
func (b *builder) statisticsOf(layer int) driver.Ptr {
	return floats(b.statistics, layer*2*b.layout.filters)
}
func (b *builder) flag(i int) driver.Ptr { return b.output + driver.Ptr(resultFlags+4*i) }
func (b *builder) given(i int) driver.Ptr {
	return floats(b.input, b.inputs().given) + driver.Ptr(8*i)
}

// Flags set by a step.
const (
	flagObservation = iota // an observation is not finite
	flagStatistics         // a statistic of BatchNorm is not finite
	flagGradient           // a gradient of an activation is not finite
	flagAgain              // what must have the same bits has not; no reason to refuse the step
)

func newBuilder(
	p *Plan, ctx driver.Context, s driver.Stream, load func(driver.Source) (driver.Module, error),
	loaded map[string]driver.Module,
) *builder {
	return &builder{
		Plan: p, ctx: ctx, stream: s, load: load, loaded: loaded,
		sources: map[string]*driver.Source{}, modules: map[*driver.Source]driver.Module{},
	}
}

// build makes all programs.
func (b *builder) build() (programs, error) {
	b.to = &b.programs.pack
	b.packWeights()
	b.to = &b.programs.training
	b.forward(true)
	b.losses()
	b.backward()
	if b.devices > 1 {
		b.measure()
		b.judge()
		b.to = &b.programs.join
		b.join()
		b.to = &b.programs.update
		b.squares()
	} else {
		b.squares()
		b.measure()
	}
	b.decide(true)
	b.to = &b.programs.held
	b.forward(false)
	b.losses()
	b.squares()
	b.measure()
	b.decide(false)
	b.to = &b.programs.update
	b.update()
	b.programs.update = append(b.programs.update, b.programs.pack...)
	b.again()
	b.repeats()
	b.fewGradients()
	b.programs.exchange = append(b.programs.exchange, b.programs.pack...)
	return b.programs, b.err
}
