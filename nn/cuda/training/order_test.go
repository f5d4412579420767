package training

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"tengen/internal/random"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// witness checks the order of work on several devices by vector clocks: whatever reads or writes
// memory must come after all that wrote it, and a write after all that read it, in its stream, or
// by events, or since the host waited.
type witness struct {
	mu        sync.Mutex             // parts are made at once
	apart     bool                   // contexts don't reach one another
	ignored   map[driver.Event]bool  // waits for them are left out
	clocks    map[stream][]int       // of streams; stream{} is the host
	index     map[stream]int         // of streams in clocks
	events    map[driver.Event][]int // at the last Record
	owners    map[driver.Event]*watched
	next      driver.Event
	accesses  []access
	conflicts []string
	copies    int // between contexts
}

// stream is a stream of a context, or the host.
type stream struct {
	of *watched
	s  driver.Stream
}

// access is one of a range of memory.
type access struct {
	from, to uintptr
	write    bool
	by       int // the stream's index
	time     int // of the stream's clock
	what     string
}

// watched is a context whose calls a witness sees.
type watched struct {
	driver.Context
	w     *witness
	sizes map[driver.Ptr]int
	names map[driver.Function]string
	// arrays that other contexts read: gradients, joined and shards of the trainer's part
	part *part
}

// of returns a stream's clock, after what the host knows.
func (w *witness) of(p stream) []int {
	if _, ok := w.index[p]; !ok {
		w.index[p] = len(w.index)
		w.clocks[p] = make([]int, 64)
	}
	return w.clocks[p]
}

func (w *witness) join(p stream, clock []int) {
	for i, v := range clock {
		w.clocks[p][i] = max(w.of(p)[i], v)
	}
}

// touch notes accesses of one piece of work in a stream.
func (c *watched) touch(s driver.Stream, what string, list ...access) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.note(s, what, list...)
}

func (c *watched) note(s driver.Stream, what string, list ...access) {
	w, p := c.w, stream{c, s}
	clock := w.of(p)
	w.join(p, w.of(stream{}))
	me := w.index[p]
	clock[me]++
	for _, a := range list {
		a.by, a.time, a.what = me, clock[me], what
		for _, b := range w.accesses {
			if (a.write || b.write) && a.from < b.to && b.from < a.to && b.time > clock[b.by] {
				w.conflicts = append(w.conflicts, fmt.Sprintf("%s does not wait for %s",
					a.what, b.what))
			}
		}
		w.accesses = append(w.accesses, a)
	}
}

func device(p driver.Ptr, n int, write bool) access {
	return access{from: uintptr(p), to: uintptr(p) + uintptr(n), write: write}
}

func host(b []byte, write bool) access {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return access{from: from, to: from + uintptr(len(b)), write: write}
}

func (c *watched) Handle() uintptr { return c.Context.(driver.Neighbour).Handle() }
func (c *watched) Reach(other uintptr) error {
	if c.w.apart {
		return &driver.CallError{Call: "cuCtxEnablePeerAccess", Code: 217}
	}
	return c.Context.(driver.Neighbour).Reach(other)
}

func (c *watched) Alloc(n int) (driver.Ptr, error) {
	p, err := c.Context.Alloc(n)
	c.sizes[p] = n
	return p, err
}

func (c *watched) Function(m driver.Module, name string) (driver.Function, error) {
	f, err := c.Context.Function(m, name)
	c.names[f] = name
	return f, err
}

func (c *watched) CopyIn(dst driver.Ptr, src []byte, s driver.Stream) error {
	c.touch(s, fmt.Sprintf("a copy to device %d", c.number()), device(dst, len(src), true),
		host(src, false))
	return c.Context.CopyIn(dst, src, s)
}

func (c *watched) CopyOut(dst []byte, src driver.Ptr, s driver.Stream) error {
	c.touch(s, fmt.Sprintf("a copy from device %d", c.number()), device(src, len(dst), false),
		host(dst, true))
	return c.Context.CopyOut(dst, src, s)
}

func (c *watched) Copy(dst, src driver.Ptr, n int, s driver.Stream) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if n > 0 && c.sizeOf(src) == 0 {
		c.w.copies++
	}
	c.note(s, fmt.Sprintf("a copy by device %d", c.number()), device(dst, n, true),
		device(src, n, false))
	return c.Context.Copy(dst, src, n, s)
}

func (c *watched) Fill(dst driver.Ptr, v byte, n int, s driver.Stream) error {
	c.touch(s, fmt.Sprintf("a fill on device %d", c.number()), device(dst, n, true))
	return c.Context.Fill(dst, v, n, s)
}

func (c *watched) number() int {
	if c.part == nil {
		return -1
	}
	return c.part.plan.index
}

// sizeOf returns the size of what is left of an allocation from p on.
func (c *watched) sizeOf(p driver.Ptr) int {
	for start, n := range c.sizes {
		if p >= start && p < start+driver.Ptr(n) {
			return n - int(p-start)
		}
	}
	return 0
}

// Launch takes a kernel to write all that its arguments point to, but not what others read
// meanwhile: the arrays of all gradients are written by join and copies alone.
func (c *watched) Launch(
	f driver.Function, g driver.Grid, s driver.Stream, args *driver.Args,
) error {
	var list []access
	name := c.names[f]
	for i := range args.Len() {
		kind, v := args.At(i)
		p := driver.Ptr(v)
		if kind != driver.ArgPtr || c.part == nil || c.sizeOf(p) == 0 {
			continue
		}
		b, size := &c.part.buffers, c.sizeOf(p)
		within := func(start driver.Ptr) bool {
			return p >= start && p < start+driver.Ptr(c.sizes[start])
		}
		write := !within(b.shards) && !within(b.joined)
		if name == "join" && i == 1 {
			_, n := args.At(2)
			size, write = 4*int(n), true
		}
		list = append(list, device(p, size, write))
	}
	c.touch(s, fmt.Sprintf("%s on device %d", name, c.number()), list...)
	return c.Context.Launch(f, g, s, args)
}

func (c *watched) NewEvent(bool) (driver.Event, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.next++
	c.w.owners[c.w.next] = c
	return c.w.next, nil
}
func (c *watched) CloseEvent(driver.Event) error { return nil }

func (c *watched) Record(e driver.Event, s driver.Stream) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.note(s, "")
	c.w.events[e] = slices.Clone(c.w.of(stream{c, s}))
	return nil
}

func (c *watched) WaitEvent(s driver.Stream, e driver.Event) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.w.owners[e] != c {
		c.w.conflicts = append(c.w.conflicts, fmt.Sprintf("device %d waits for device %d",
			c.number(), c.w.owners[e].number()))
	}
	c.w.of(stream{c, s})
	if !c.w.ignored[e] {
		c.w.join(stream{c, s}, c.w.events[e])
	}
	return nil
}

func (c *watched) SynchronizeEvent(e driver.Event) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !c.w.ignored[e] {
		c.w.join(stream{}, c.w.events[e])
	}
	return nil
}

func (c *watched) Synchronize(s driver.Stream) error {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	for p, clock := range c.w.clocks {
		if p.of == c && (s == 0 || p.s == s) {
			c.w.join(stream{}, clock)
		}
	}
	return nil
}

// TestDevicesWaitForOneAnother checks with eight devices, of which two steps are under way, that
// nothing is read before it is written, or overwritten before it is read, though no device waits
// for another, which may be lost; and that each kind of wait is needed for that.
func TestDevicesWaitForOneAnother(t *testing.T) {
	const n = 8
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerAdam)
	b := train.RandomBatch(spec, c.Batch, rng)
	for _, apart := range []bool{false, true} {
		for _, without := range []string{"", "ready", "summed", "arrived", "consumed"} {
			w := &witness{
				apart: apart, ignored: map[driver.Event]bool{},
				clocks: map[stream][]int{}, index: map[stream]int{},
				events: map[driver.Event][]int{}, owners: map[driver.Event]*watched{},
			}
			w.of(stream{})
			api := fake.Wrap(fake.WithDevices(n), func(x driver.Context) driver.Context {
				return &watched{
					Context: x, w: w, sizes: map[driver.Ptr]int{},
					names: map[driver.Function]string{},
				}
			})
			tr := sharedTrainer(t, box(t, api, n, cuda.Options{Unchecked: true}), p, c)
			for _, x := range tr.parts {
				x.session.Context.(*watched).part = x
				for _, e := range map[string][]driver.Event{
					"ready": {x.ready}, "summed": {x.summed}, "arrived": {x.arrived},
					"consumed": {x.consumed},
				}[without] {
					w.ignored[e] = true
				}
			}
			if tr.direct == apart {
				t.Fatalf("devices read one another's memory: %v", tr.direct)
			}
			w.accesses, w.copies = nil, 0
			const steps = 4
			for i := range steps {
				if err := tr.Start(b); err != nil {
					t.Fatal(err)
				}
				if i > 0 {
					must(tr.Wait())
				}
			}
			must(tr.Wait())
			shards := 0
			for i := range n {
				if _, size := tr.parts[i].plan.shard(i); size > 0 {
					shards++
				}
			}
			want := 2 * steps * shards * (n - 1)
			if apart {
				want = 0
			}
			if w.copies != want {
				t.Errorf("%d copies between devices, want %d", w.copies, want)
			}
			if (len(w.conflicts) > 0) != (without != "") {
				t.Errorf("apart %v, without waits for %q: %d conflicts: %.2q", apart, without,
					len(w.conflicts), w.conflicts[:min(3, len(w.conflicts))])
			}
			tr.Close()
		}
	}
}
