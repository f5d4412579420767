package training

import (
	"fmt"
	"time"

	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/train"
)

// part is a device's part of a trainer: its copy of the parameters, and what it computes of a step.
type part struct {
	device   *cuda.Device
	plan     *Plan
	session  cuda.Session
	freed    bool
	stream   driver.Stream
	copies   driver.Stream // copies of batches to the device
	modules  map[string]driver.Module
	buffers  buffers
	programs programs
	training graph // of programs.training and, of one device, update
	update   graph // of programs.update, of several devices
	held     graph // of programs.held
	spans    []span

	arrived, consumed driver.Event        // the batch in buffers.staged
	ended             [ahead]driver.Event // steps, by their number
	outputs           [ahead]results      // pinned: theirs
	// of several devices: the gradients, and the sum of this device's shard, are complete
	ready, summed driver.Event
	slow          *time.Timer // tells that the device does not answer
	patience      time.Duration
	// pinned, where devices don't reach one another: the gradients, and that sum
	gradients, sum []byte
}

// span is a range of a batch in pinned memory and its place on the device, in bytes.
type span struct{ from, to, n int }

// spansOf returns the ranges that are a device's part of a batch: all of it, if there is one.
func (p *Plan) spansOf() []span {
	rows := p.config.Batch
	whole, own := p.inputsOf(rows*p.devices), p.inputs()
	if p.devices == 1 {
		return []span{{0, 0, 4 * own.size}}
	}
	var list []span
	add := func(from, to, n int) {
		if n > 0 {
			list = append(list, span{4*from + p.index*n, 4 * to, n})
		}
	}
	row := train.NewBatch(p.spec, 1)
	for i, x := range row.Numbers() {
		add(*whole.numbers()[i], *own.numbers()[i], 4*rows*len(*x))
	}
	for i, x := range row.Classes() {
		add(*whole.classes()[i], *own.classes()[i], rows*len(*x))
	}
	return append(list, span{4 * whole.given, 4 * own.given, 8 * givens})
}

// make makes a device's part of a trainer, without parameters.
func (plan *Plan) make(d *cuda.Device) (*part, error) {
	x := &part{
		device: d, session: d.Session(), plan: plan, modules: map[string]driver.Module{},
		spans: plan.spansOf(), patience: slowAfter,
	}
	x.slow = time.AfterFunc(x.patience, x.tell)
	x.slow.Stop()
	if err := x.prepare(); err != nil {
		x.close()
		info := d.Info()
		return nil, fmt.Errorf("training on %s: %w", info.Name, err)
	}
	return x, nil
}

// prepare allocates and compiles.
func (x *part) prepare() error {
	var err error
	if x.stream, err = x.session.NewStream(false); err != nil {
		return err
	}
	if x.copies, err = x.session.NewStream(false); err != nil {
		return err
	}
	for _, e := range x.events() {
		if *e, err = x.session.NewEvent(false); err != nil {
			return err
		}
	}
	b := newBuilder(x.plan, x.session, x.stream, x.device.Compile, x.modules)
	for _, a := range x.plan.allocations(&x.buffers) {
		if a.bytes == 0 {
			continue
		}
		if *a.at, err = x.session.Alloc(a.bytes); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	x.buffers.statistics = floats(x.buffers.gradients, x.plan.layout.learned)
	for i := range x.outputs {
		if x.outputs[i], err = x.session.AllocHost(resultBytes); err != nil {
			return err
		}
	}
	b.buffers = x.buffers
	if x.programs, err = b.build(); err != nil {
		return err
	}
	// The gaps between arrays always stay zero.
	if err := x.session.Fill(x.buffers.gradients, 0, 4*x.plan.exchanged(), x.stream); err != nil {
		return err
	}
	if err := x.session.Fill(x.buffers.moments, 0, 4*x.plan.layout.learned*x.plan.moments(),
		x.stream); err != nil {
		return err
	}
	for _, c := range []struct {
		to   driver.Ptr
		from []byte
	}{
		{x.buffers.support, driver.Bytes(x.plan.spec.Support)},
		{x.buffers.cellStarts, driver.Bytes(starts(x.plan.spec.Auxiliary.Cells))},
		{x.buffers.factStarts, driver.Bytes(starts(x.plan.spec.Auxiliary.Belief))},
	} {
		if c.to == 0 {
			continue
		}
		if err := x.session.CopyIn(c.to, c.from, x.stream); err != nil {
			return err
		}
	}
	return x.session.Fill(x.buffers.output, 0, resultBytes, x.stream)
}

// events returns the places of the part's events.
func (x *part) events() []*driver.Event {
	list := []*driver.Event{&x.arrived, &x.consumed, &x.ended[0], &x.ended[1]}
	if x.plan.devices > 1 {
		list = append(list, &x.ready, &x.summed)
	}
	return list
}

// send enqueues the copy of the part's rows of a batch to the device, while the step before is
// under way; use enqueues that the next step has them.
func (x *part) send(in *input) error {
	if err := x.session.WaitEvent(x.copies, x.consumed); err != nil {
		return err
	}
	for _, s := range x.spans {
		if err := x.session.CopyIn(x.buffers.staged+driver.Ptr(s.to),
			in.memory[s.from:s.from+s.n], x.copies); err != nil {
			return err
		}
	}
	return x.session.Record(x.arrived, x.copies)
}

func (x *part) use() error {
	for _, call := range []func() error{
		func() error { return x.session.WaitEvent(x.stream, x.arrived) },
		func() error {
			return x.session.Copy(x.buffers.input, x.buffers.staged, 4*x.plan.inputs().size,
				x.stream)
		},
		func() error { return x.session.Record(x.consumed, x.stream) },
	} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// clear enqueues the clearing of results; fetch enqueues their copy to an output, after which the
// step of that slot has ended.
func (x *part) clear() error {
	return x.session.Fill(x.buffers.output, 0, resultStopped, x.stream)
}

func (x *part) fetch(slot int) error {
	err := x.session.CopyOut(x.outputs[slot][:resultStopped], x.buffers.output, x.stream)
	if err == nil {
		err = x.session.Record(x.ended[slot], x.stream)
	}
	return err
}

// slowAfter is the time after which the log says that a device does not answer. Tests change it.
var slowAfter = 2 * time.Minute

// hear waits for an event of the device.
func (x *part) hear(e driver.Event) error {
	x.slow.Reset(x.patience)
	defer x.slow.Stop()
	return x.session.SynchronizeEvent(e)
}

// tell says in the log that the device does not answer.
func (x *part) tell() {
	info := x.device.Info()
	x.device.Options().Log.Warn("training: a device does not answer; if nothing changes, end the process and resume without the device",
		"name", fmt.Sprintf("cuda:%d", info.Ordinal), "is", info.Name, "for", x.patience)
}

// resume lets steps be taken again after one was refused.
func (x *part) resume() error {
	err := x.session.Synchronize(x.stream)
	if err == nil {
		err = x.session.Fill(x.buffers.output+driver.Ptr(resultStopped), 0, 4, x.stream)
	}
	return err
}

// close frees everything of the device.
func (x *part) close() {
	if !x.freed {
		x.freed = true
		x.session.Release(x.free)
	}
}

// free frees everything. If the device is lost, there is nothing left to free.
func (x *part) free(ctx driver.Context) {
	for _, s := range []driver.Stream{x.copies, x.stream} {
		if s != 0 {
			_ = ctx.Synchronize(s)
		}
	}
	for _, a := range x.plan.allocations(&x.buffers) {
		_ = ctx.Free(*a.at)
	}
	for _, b := range [][]byte{x.outputs[0], x.outputs[1], x.gradients, x.sum} {
		_ = ctx.FreeHost(b)
	}
	for _, e := range x.events() {
		if *e != 0 {
			_ = ctx.CloseEvent(*e)
		}
	}
	for _, g := range []*graph{&x.training, &x.update, &x.held} {
		x.dropGraph(g)
	}
	for _, m := range x.modules {
		_ = ctx.Unload(m)
	}
	for _, s := range []driver.Stream{x.copies, x.stream} {
		if s != 0 {
			_ = ctx.CloseStream(s)
		}
	}
}
