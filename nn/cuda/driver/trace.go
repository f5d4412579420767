package driver

import (
	"sync"
	"time"
)

// Trace is a Context that can time its calls one by one. It notes the calls of a graph while they
// are captured, so that it can make them one by one too.
type Trace struct {
	Context

	mu       sync.Mutex
	sources  map[Module]*Source
	kernels  map[Function]kernel
	captured map[Stream][]traced // of the captures under way
	graphs   map[Graph][]traced
	on       bool // the calls are timed
	whole    bool // a graph is one call
	timed    []span
	events   []Event // not in use
	scratch  Ptr     // see delay
	waits    int     // how often the host waited for the device
	delayed  map[Stream]int
}

// Call is a call that was timed.
type Call struct {
	Name   string  // of the kernel, or one of the words below
	Source *Source // of the kernel, nil if it is not known
	Grid   Grid
	Args   *Args         // of the kernel
	Bytes  int           // of a copy or a fill
	Time   time.Duration // on the device, less that between two events with nothing between them
}

// Names of calls that launch no kernel.
const (
	CallCopyIn  = "copy to the device"
	CallCopyOut = "copy to the host"
	CallCopy    = "copy"
	CallFill    = "fill"
	CallGraph   = "graph"
)

type kernel struct {
	name   string
	source *Source
}

// traced is a call that can be made again.
type traced struct {
	Call
	make func(Context) error
}

// span is a call between two events.
type span struct {
	Call
	from, to Event
}

// scratchBytes and scratchFills are the fills that keep the device busy for some milliseconds.
const (
	scratchBytes = 256 << 20
	scratchFills = 40
)

// NewTrace returns a Trace of a context, whose calls it forwards.
func NewTrace(c Context) *Trace {
	return &Trace{
		Context: c, sources: map[Module]*Source{}, kernels: map[Function]kernel{},
		captured: map[Stream][]traced{}, graphs: map[Graph][]traced{}, delayed: map[Stream]int{},
	}
}

// Loaded tells the source of a module.
func (t *Trace) Loaded(m Module, s Source) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sources[m] = &s
}

// Time calls f, and returns the copies, fills and launches that it made, in their order, with the
// time of each. Those of a graph are made one by one; if whole is set, the graph is one call.
//
// An event is recorded before and after each call. Work that is enqueued while the device is idle
// waits for some fills, so that the host is ahead of the device and the time is that of the call
// alone.
func (t *Trace) Time(whole bool, f func() error) ([]Call, error) {
	t.mu.Lock()
	t.on, t.whole, t.timed = true, whole, nil
	if !t.Context.Device().Emulated {
		t.scratch, _ = t.Context.Alloc(scratchBytes) // without it, short calls seem longer
	}
	t.mu.Unlock()
	err := f()
	t.mu.Lock()
	defer t.mu.Unlock()
	calls, e := t.end()
	if err == nil {
		err = e
	}
	return calls, err
}

// end ends Time.
func (t *Trace) end() ([]Call, error) {
	defer func() {
		t.on, t.timed = false, nil
		_ = t.Context.Free(t.scratch) // an error would come again
		t.scratch = 0
		for _, e := range t.events {
			_ = t.Context.CloseEvent(e)
		}
		t.events = nil
	}()
	if err := t.Context.Synchronize(0); err != nil {
		return nil, err
	}
	nothing, err := t.nothing()
	var calls []Call
	for _, s := range t.timed {
		if err == nil {
			s.Time, err = t.Context.Elapsed(s.from, s.to)
		}
		s.Time = max(0, s.Time-nothing)
		calls = append(calls, s.Call)
		t.events = append(t.events, s.from, s.to)
	}
	if err != nil {
		return nil, err
	}
	return calls, nil
}

// nothing returns the least time between two events with nothing between them.
func (t *Trace) nothing() (least time.Duration, err error) {
	s, err := t.Context.NewStream(false)
	if err != nil {
		return 0, err
	}
	defer t.Context.CloseStream(s)
	var list []span
	t.waits++
	for range 8 {
		x, err := t.between(s, Call{}, func(Context) error { return nil })
		list = append(list, x)
		if err != nil {
			return 0, err
		}
	}
	if err := t.Context.Synchronize(s); err != nil {
		return 0, err
	}
	for i, x := range list {
		d, err := t.Context.Elapsed(x.from, x.to)
		if err != nil {
			return 0, err
		}
		if i == 0 || d < least {
			least = d
		}
		t.events = append(t.events, x.from, x.to)
	}
	return least, nil
}

// between makes a call between two events.
func (t *Trace) between(s Stream, c Call, make func(Context) error) (span, error) {
	x := span{Call: c}
	for _, e := range []*Event{&x.from, &x.to} {
		if n := len(t.events); n > 0 {
			*e, t.events = t.events[n-1], t.events[:n-1]
			continue
		}
		var err error
		if *e, err = t.Context.NewEvent(true); err != nil {
			return x, err
		}
	}
	err := t.delay(s)
	if err == nil {
		err = t.Context.Record(x.from, s)
	}
	if err == nil {
		err = make(t.Context)
	}
	if err == nil {
		err = t.Context.Record(x.to, s)
	}
	return x, err
}

// delay keeps the device busy, once after each time when the host waited.
func (t *Trace) delay(s Stream) error {
	if at, ok := t.delayed[s]; t.scratch == 0 || ok && at == t.waits {
		return nil
	}
	t.delayed[s] = t.waits
	for range scratchFills {
		if err := t.Context.Fill(t.scratch, 0, scratchBytes, s); err != nil {
			return err
		}
	}
	return nil
}

// do makes a call, and notes it where it is captured or timed.
func (t *Trace) do(s Stream, c func() Call, make func(Context) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if list, ok := t.captured[s]; ok {
		t.captured[s] = append(list, traced{c(), make})
		return make(t.Context)
	}
	if !t.on {
		return make(t.Context)
	}
	x, err := t.between(s, c(), make)
	t.timed = append(t.timed, x)
	return err
}

// Function implements Loader.
func (t *Trace) Function(m Module, name string) (Function, error) {
	f, err := t.Context.Function(m, name)
	if err == nil {
		t.mu.Lock()
		t.kernels[f] = kernel{name, t.sources[m]}
		t.mu.Unlock()
	}
	return f, err
}

// Launch implements Queue.
func (t *Trace) Launch(f Function, g Grid, s Stream, args *Args) error {
	copied := args.clone()
	return t.do(s, func() Call {
		k := t.kernels[f]
		return Call{Name: k.name, Source: k.source, Grid: g, Args: copied}
	}, func(c Context) error { return c.Launch(f, g, s, copied) })
}

// CopyIn implements Queue.
func (t *Trace) CopyIn(dst Ptr, src []byte, s Stream) error {
	return t.do(s, func() Call { return Call{Name: CallCopyIn, Bytes: len(src)} },
		func(c Context) error { return c.CopyIn(dst, src, s) })
}

// CopyOut implements Queue.
func (t *Trace) CopyOut(dst []byte, src Ptr, s Stream) error {
	return t.do(s, func() Call { return Call{Name: CallCopyOut, Bytes: len(dst)} },
		func(c Context) error { return c.CopyOut(dst, src, s) })
}

// Copy implements Queue.
func (t *Trace) Copy(dst, src Ptr, n int, s Stream) error {
	return t.do(s, func() Call { return Call{Name: CallCopy, Bytes: 2 * n} },
		func(c Context) error { return c.Copy(dst, src, n, s) })
}

// Fill implements Queue.
func (t *Trace) Fill(dst Ptr, value byte, n int, s Stream) error {
	return t.do(s, func() Call { return Call{Name: CallFill, Bytes: n} },
		func(c Context) error { return c.Fill(dst, value, n, s) })
}

// Synchronize implements Context.
func (t *Trace) Synchronize(s Stream) error {
	t.waited()
	return t.Context.Synchronize(s)
}

// SynchronizeEvent implements Queue.
func (t *Trace) SynchronizeEvent(e Event) error {
	t.waited()
	return t.Context.SynchronizeEvent(e)
}

// Done implements Queue.
func (t *Trace) Done(e Event) (bool, error) {
	done, err := t.Context.Done(e)
	if done {
		t.waited()
	}
	return done, err
}

func (t *Trace) waited() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits++
}

// Begin implements Burst: each call is one of the context's own.
func (t *Trace) Begin() (Calls, error) { return t, nil }

// End implements Burst.
func (t *Trace) End() {}

// Capture implements Grapher.
func (t *Trace) Capture(s Stream, enqueue func() error) (Graph, error) {
	g, ok := t.Context.(Grapher)
	if !ok {
		return 0, &LibraryError{
			Library: "the driver", Missing: "graphs", Advice: "a newer one has them",
		}
	}
	t.mu.Lock()
	t.captured[s] = nil
	t.mu.Unlock()
	graph, err := g.Capture(s, enqueue)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.graphs[graph] = t.captured[s]
	}
	delete(t.captured, s)
	return graph, err
}

// LaunchGraph implements Grapher.
func (t *Trace) LaunchGraph(g Graph, s Stream) error {
	t.mu.Lock()
	on, whole, calls := t.on, t.whole, t.graphs[g]
	t.mu.Unlock()
	if on && !whole {
		for _, c := range calls {
			if err := t.do(s, func() Call { return c.Call }, c.make); err != nil {
				return err
			}
		}
		return nil
	}
	return t.do(s, func() Call { return Call{Name: CallGraph} },
		func(c Context) error { return c.(Grapher).LaunchGraph(g, s) })
}

// CloseGraph implements Grapher.
func (t *Trace) CloseGraph(g Graph) error {
	t.mu.Lock()
	delete(t.graphs, g)
	t.mu.Unlock()
	return t.Context.(Grapher).CloseGraph(g)
}
