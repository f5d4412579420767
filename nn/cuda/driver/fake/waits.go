package fake

import (
	"sync"
	"testing"

	"tengen/nn/cuda/driver"
)

// waits models streams that wait for ever for an event of a device that is lost before the event is
// reached. CUDA does not say what happens then. Without it such waits end at once.
type waits struct {
	release chan struct{}

	mu      sync.Mutex
	events  map[driver.Event]*point // the last Record of each
	streams map[stream]*point       // the last of each
	hung    int
}

// stream is a stream of a context.
type stream struct {
	of *context
	s  driver.Stream
}

// point is a place in a stream's work.
type point struct {
	of      *context
	before  [2]*point // that it comes after
	reached bool      // by then the host knew
}

// Hang makes streams of the drivers' devices wait for ever for an event of one that is lost before
// the host knows that the event was reached. Whatever waits for such a stream, and what may wait
// for all work of its context, such as Free, does not return before the test's end. Hang is called
// before contexts are opened. It returns a function that counts the calls that did not return.
func Hang(t testing.TB, drivers ...*Driver) (hung func() int) {
	w := &waits{
		release: make(chan struct{}), events: map[driver.Event]*point{},
		streams: map[stream]*point{},
	}
	t.Cleanup(func() { close(w.release) })
	for _, d := range drivers {
		d.waits = w
	}
	return func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.hung
	}
}

// follow adds a point to a stream, after another one or nil. w may be nil, as everywhere.
func (w *waits) follow(c *context, s driver.Stream, after *point) *point {
	p := &point{of: c, before: [2]*point{w.streams[stream{c, s}], after}}
	w.streams[stream{c, s}] = p
	return p
}

func (w *waits) record(c *context, e driver.Event, s driver.Stream) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.events[e] = w.follow(c, s, nil)
	}
}

func (w *waits) wait(c *context, s driver.Stream, e driver.Event) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.follow(c, s, w.events[e])
	}
}

// never reports whether a point is never reached.
func (p *point) never() bool {
	return p != nil && !p.reached &&
		(p.of.gone() || p.before[0].never() || p.before[1].never())
}

// reach notes that the host knows that a point was reached.
func (p *point) reach() {
	for p != nil && !p.reached {
		p.reached = true
		p.before[1].reach()
		last := p.before[0]
		p.before = [2]*point{}
		p = last
	}
}

// event blocks if an event is never reached.
func (w *waits) event(e driver.Event) {
	if w != nil {
		w.block(func() []*point { return []*point{w.events[e]} })
	}
}

// stream blocks if the work in a stream of a context never ends; 0 stands for all its streams.
func (w *waits) stream(c *context, s driver.Stream) {
	if w == nil {
		return
	}
	w.block(func() (list []*point) {
		for of, p := range w.streams {
			if of.of == c && (s == 0 || of.s == s) {
				list = append(list, p)
			}
		}
		return list
	})
}

// block blocks if one of some points is never reached, and else notes that they are.
func (w *waits) block(list func() []*point) {
	w.mu.Lock()
	for _, p := range list() {
		if p.never() {
			w.hung++
			w.mu.Unlock()
			<-w.release
			return
		}
	}
	for _, p := range list() {
		p.reach()
	}
	w.mu.Unlock()
}

// done reports whether an event may be reached. The host knows it then.
func (w *waits) done(e driver.Event) bool {
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.events[e]
	if p.never() {
		return false
	}
	p.reach()
	return true
}

// gone reports whether the context's device is lost.
func (c *context) gone() bool {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	return c.d.lost != nil || c.lost != nil || c.epoch != c.d.epoch
}
