package cuda

import (
	"errors"
	"sync"
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// mostWork bounds the device memory of a batch's workspace; a larger batch is evaluated in parts
// of whole rounds.
const mostWork = 256 << 20

// batch is the memory of an nn.Batch on the device and in pinned host memory.
type batch struct {
	network        *network
	capacity, part int // rows; the kernels process part rows at a time

	observations, results []byte // pinned; results has the policy's logits, then the values
	values                int    // offset of the values in results, bytes

	input, output driver.Ptr // as on the host
	work          driver.Ptr // see workspace
	stream        driver.Stream
	done          driver.Event
	rows          int          // of the last Launch
	few           bool         // it is computed by the tower for few rows
	blocks        atomic.Int64 // see chooseTower
	idle          int          // multiprocessors that other launches left it
	// source and target are where its kernels read observations and write results: input and
	// output, or the host's memory, which few rows reach sooner than copies do
	source, target driver.Ptr
	weights        *Weights // of the evaluation in progress, nil without one
	started        bool     // in the network's packs
	member         bool     // of an evaluator, not a pack
	calls          driver.Calls
	args           arguments
	once           sync.Once
	PackState
}

// arguments of each kernel, reused so that launches do not allocate.
type arguments struct {
	tower, heads, planes, layer, maps, policy, hidden, values *driver.Args
}

// workspace holds the addresses of the parts of work.
type workspace struct{ trunk, second, planes, maps, hidden driver.Ptr }

func (b *batch) workspace() workspace {
	p := b.network.plan
	at := b.work
	take := func(bytes int) driver.Ptr {
		from := at
		at += driver.Ptr((bytes*b.part + 255) / 256 * 256)
		return from
	}
	w := workspace{trunk: take(p.TrunkBytes()), hidden: take(p.Heads.HiddenBytes())}
	if p.Layered != nil {
		w.second, w.planes, w.maps = take(p.TrunkBytes()), take(p.Layered.PlaneBytes()),
			take(p.MapBytes())
	}
	return w
}

// newBatch allocates a batch for capacity rows with the given total numbers of observations,
// logits and values.
func newBatch(n *network, capacity, observations, policy, values int) (*batch, error) {
	b := &batch{network: n, capacity: capacity, part: capacity, values: 4 * policy}
	p, c := n.plan, n.session
	if most := max(mostWork/p.WorkBytes(), 1); b.part > most {
		round := p.Round(&n.device.info)
		if b.part = most / round * round; b.part == 0 {
			b.part = most
		}
	}
	b.args = arguments{
		driver.NewArgs(), driver.NewArgs(), driver.NewArgs(), driver.NewArgs(), driver.NewArgs(),
		driver.NewArgs(), driver.NewArgs(), driver.NewArgs(),
	}
	var err error
	b.stream, err = c.NewStream(true)
	if err == nil {
		b.done, err = c.NewEvent(false)
	}
	for _, a := range []struct {
		at    *driver.Ptr
		bytes int
	}{
		{&b.input, 4 * observations}, {&b.output, 4 * (policy + values)},
		{&b.work, b.part*p.WorkBytes() + 5*256},
	} {
		if err == nil {
			*a.at, err = c.Alloc(a.bytes)
		}
	}
	if err == nil {
		b.observations, err = c.AllocHost(4 * observations)
	}
	if err == nil {
		b.results, err = c.AllocHost(4 * (policy + values))
	}
	if err != nil {
		b.free()
		return nil, err
	}
	b.source, b.target = b.input, b.output
	return b, nil
}

// free frees everything. Later calls do nothing.
func (b *batch) free() {
	b.once.Do(func() {
		b.land()
		if b.member && b.network.session.open() {
			b.network.packs.Forget(b)
		}
		b.network.session.Release(func(c driver.Context) {
			var err error
			if b.stream != 0 {
				err = errors.Join(c.Synchronize(b.stream), c.CloseStream(b.stream))
			}
			if b.done != 0 {
				err = errors.Join(err, c.CloseEvent(b.done))
			}
			for _, p := range []driver.Ptr{b.input, b.output, b.work} {
				err = errors.Join(err, c.Free(p))
			}
			for _, h := range [][]byte{b.observations, b.results} {
				if h != nil {
					err = errors.Join(err, c.FreeHost(h))
				}
			}
			if err != nil && !driver.Lost(err) { // the loss has been told
				b.network.device.o.Log.Warn("free a batch", "err", err)
			}
		})
		if b.member {
			b.network.leave()
		}
	})
}

// Launch implements Launch: it enqueues the evaluation of rows 0 to n-1.
func (b *batch) Launch(n int) (err error) {
	defer func() {
		if err != nil {
			b.land()
		}
	}()
	calls, err := driver.Begin(b.network.session.Context)
	if err != nil {
		return err
	}
	defer driver.End(b.network.session.Context)
	b.calls, b.rows = calls, n
	b.chooseTower(n)
	if b.few {
		if err := b.run(0, n); err != nil {
			return err
		}
		return calls.Record(b.done, b.stream)
	}
	s := &b.network.plan.Spec
	row := 4 * s.Planes * s.Cells()
	if err := calls.CopyIn(b.input, b.observations[:n*row], b.stream); err != nil {
		return err
	}
	for from := 0; from < n; from += b.part {
		if err := b.run(from, min(b.part, n-from)); err != nil {
			return err
		}
	}
	from := b.values
	if b.network.hasPolicy() {
		if logits := 4 * n * s.Actions; b.values-logits <= smallGap {
			from = 0
		} else if err := calls.CopyOut(b.results[:logits], b.output, b.stream); err != nil {
			return err
		}
	}
	if err := calls.CopyOut(b.results[from:b.values+4*n*s.Players], b.output+driver.Ptr(from),
		b.stream); err != nil {
		return err
	}
	return calls.Record(b.done, b.stream)
}

// smallGap is the number of bytes between logits and values up to which one copy of both is faster
// than two: a call takes the host about a microsecond, and these bytes the bus.
const smallGap = 16 << 10

// run launches the kernels for n rows starting at from.
func (b *batch) run(from, n int) error {
	net, p, w, at := b.network, b.network.plan, b.weights, b.workspace()
	c, s, h, rows := b.calls, &net.plan.Spec, net.plan.Heads, int32(n)
	input := b.source + driver.Ptr(4*from*s.Planes*s.Cells())
	if p.Tower != nil {
		f, grid := net.tower, p.Tower.Grid(n)
		if b.few {
			f, grid = net.few, p.Few.Grid(n)
		}
		args := b.args.tower.Reset().Ptr(input).Ptr(w.pointer(w.at.Trunk)).
			Ptr(w.pointer(w.at.Biases)).Ptr(at.trunk).Int32(rows).Int32(int32(s.Blocks)).
			Int32(int32(s.Planes))
		if err := c.Launch(f, grid, b.stream, args); err != nil {
			return err
		}
	} else if err := b.runLayers(input, at, n); err != nil {
		return err
	}
	if p.Layered != nil {
		return b.runLayeredHeads(from, at, n)
	}
	split := h.Split(n, b.idle)
	args := b.args.heads.Reset().Ptr(at.trunk).Ptr(w.pointer(w.at.Hidden)).Ptr(at.hidden).
		Ptr(w.pointer(w.at.Policy)).Ptr(w.pointer(w.at.PolicyDense)).
		Ptr(b.target + driver.Ptr(4*from*s.Actions)).Int32(int32(split)).Int32(rows)
	if err := c.Launch(net.heads, h.Grid(n, split), b.stream, h.Shape(args)); err != nil {
		return err
	}
	args = b.args.values.Reset().Ptr(at.hidden).Ptr(w.pointer(w.at.HiddenBiases)).
		Ptr(w.pointer(w.at.Values)).
		Ptr(b.target + driver.Ptr(b.values+4*from*s.Players)).Int32(int32(split)).Int32(rows)
	return c.Launch(net.values, h.ValuesGrid(n), b.stream, h.ValuesShape(args))
}

// runLayeredHeads computes the heads over the trunk of runLayers.
func (b *batch) runLayeredHeads(from int, at workspace, n int) error {
	net, p, w := b.network, b.network.plan, b.weights
	c, s, h, l, rows := b.calls, &p.Spec, p.Heads, p.Layered, int32(n)
	cells, maps, dense := int32(s.Cells()), int32(h.Maps), int32(0)
	if s.Policy == nn.PolicyDense {
		dense = 1
	}
	if net.hasPolicy() {
		args := b.args.maps.Reset().Ptr(at.trunk).Ptr(w.pointer(w.at.Policy)).Ptr(at.maps).
			Int32(rows * cells).Int32(int32(l.Channels)).Int32(maps).Int32(cells).Int32(dense)
		if err := c.Launch(net.maps, l.MapsGrid(n), b.stream, args); err != nil {
			return err
		}
		args = b.args.policy.Reset().Ptr(at.maps).Ptr(w.pointer(w.at.PolicyDense)).
			Ptr(b.target + driver.Ptr(4*from*s.Actions)).
			Int32(rows).Int32(int32(s.Actions)).Int32(maps).Int32(cells).Int32(dense)
		if err := c.Launch(net.policy, l.PolicyGrid(n), b.stream, args); err != nil {
			return err
		}
	}
	if g := p.General; g != nil {
		args := b.args.hidden.Reset().Ptr(at.trunk).Ptr(w.pointer(w.at.Hidden)).Ptr(0).
			Ptr(at.hidden).Int32(rows).Ptr(w.pointer(w.at.HiddenBiases))
		if err := c.Launch(net.hidden, g.Hidden.Grid(n), b.stream,
			g.Hidden.Shape(args)); err != nil {
			return err
		}
		return b.runLayeredValues(from, at, n)
	}
	args := b.args.hidden.Reset().Ptr(at.trunk).Ptr(w.pointer(w.at.Hidden)).
		Ptr(w.pointer(w.at.HiddenBiases)).
		Ptr(0).Ptr(at.hidden).Int32(rows).Int32(int32(s.Cells() * h.Channels)).
		Int32(int32(h.HiddenColumns)).Int32(1).Int32(1).Int32(1)
	if err := c.Launch(net.hidden, h.HiddenGrid(n), b.stream, args); err != nil {
		return err
	}
	return b.runLayeredValues(from, at, n)
}

// runLayeredValues computes the values over the hidden layers.
func (b *batch) runLayeredValues(from int, at workspace, n int) error {
	net, p, w, rows := b.network, b.network.plan, b.weights, int32(n)
	c, s, h, l, linear := b.calls, &p.Spec, p.Heads, p.Layered, int32(0)
	if s.Value == nn.ValueLinear {
		linear = 1
	}
	args := b.args.values.Reset().Ptr(at.hidden).Ptr(w.pointer(w.at.Values)).
		Ptr(b.target + driver.Ptr(b.values+4*from*s.Players)).
		Int32(rows).Int32(int32(s.Players)).Int32(int32(s.Hidden)).Int32(int32(h.HiddenColumns)).
		Int32(int32(s.Outputs())).Int32(linear)
	return c.Launch(net.values, l.ValuesGrid(n), b.stream, args)
}

// runLayers computes the trunk with one launch per layer.
func (b *batch) runLayers(input driver.Ptr, at workspace, n int) error {
	net, w := b.network, b.weights
	c, l, s, rows := b.calls, net.plan.Layered, &net.plan.Spec, int32(n*net.plan.Spec.Cells())
	if err := c.Launch(net.planes,
		l.PlanesGrid(n), b.stream, b.args.planes.Reset().Ptr(input).Ptr(at.planes).
			Int32(int32(n)).Int32(int32(s.Planes)).Int32(int32(s.Cells())).
			Int32(int32(l.Inputs))); err != nil {
		return err
	}
	weights, biases := w.pointer(w.at.Trunk), w.pointer(w.at.Biases)
	for layer := range 1 + 2*net.plan.Spec.Blocks {
		// The stem reads planes and writes trunk; a block's convolutions go from trunk to second
		// and back.
		source, target, skip, inputs := at.trunk, at.second, driver.Ptr(0), l.Channels
		switch {
		case layer == 0:
			source, target, inputs = at.planes, at.trunk, l.Inputs
		case layer%2 == 0:
			source, target, skip = at.second, at.trunk, at.trunk
		}
		if g := net.plan.General; g != nil {
			q, f := g.Block, net.layer
			switch {
			case layer == 0:
				q, f = g.Stem, net.stem
			case net.wide != 0 && g.Wide.Grid(int(rows)).Blocks[0] >= net.device.info.SMs:
				q, f = g.Wide, net.wide
			}
			args := b.args.layer.Reset().Ptr(source).Ptr(weights).Ptr(skip).Ptr(target).
				Int32(rows).Ptr(biases)
			if err := c.Launch(f, q.Grid(int(rows)), b.stream, q.Shape(args)); err != nil {
				return err
			}
			weights += driver.Ptr(g.LayerBytes(layer))
			biases += driver.Ptr(4 * l.Channels)
			continue
		}
		args := b.args.layer.Reset().Ptr(source).Ptr(weights).Ptr(biases).Ptr(skip).Ptr(target).
			Int32(rows).Int32(int32(inputs)).Int32(int32(l.Channels)).
			Int32(int32(s.Taps())).Int32(int32(s.Height)).Int32(int32(s.Width))
		if err := c.Launch(net.layer, l.LayerGrid(n), b.stream, args); err != nil {
			return err
		}
		weights += driver.Ptr(l.LayerBytes(layer))
		biases += driver.Ptr(4 * l.Channels)
	}
	return nil
}
