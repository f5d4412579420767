//go:build linux && (amd64 || arm64)

package emulate

import (
	"slices"
	"sort"
	"time"

	"tengen/nn/cuda/driver"
)

// queue is a stream's pending work. Without Options.Reorder it is empty.
type queue struct {
	work      []work
	capturing bool
	captured  []work // of the capture under way, or none
}

// work is an operation in a stream, which may have to wait for another stream.
type work struct {
	do   func() error
	wait func() bool // reports whether it may run; nil: always
}

// event counts Records, and those that were reached.
type event struct {
	of                *context
	timed             bool
	recorded, reached int
	at                time.Time
}

// queueOf returns a stream's queue.
func (c *context) queueOf(call string, s driver.Stream) (*queue, error) {
	q := c.queues[s]
	if q == nil {
		return nil, &driver.CallError{Call: call, Code: codeInvalidHandle, Reason: "no such stream"}
	}
	return q, nil
}

// later reports whether work of a stream is kept, and does not run at once.
func (c *context) later(q *queue) bool { return q.capturing || c.o.Reorder }

// give adds work to a stream or to its capture; unless streams are reordered, it runs at once.
func (c *context) give(q *queue, w work) error {
	if q.capturing {
		q.captured = append(q.captured, w)
		return nil
	}
	if !c.o.Reorder {
		return w.do()
	}
	q.work = append(q.work, w)
	return nil
}

// streams returns the streams in order of creation.
func (c *context) streams() []driver.Stream {
	all := make([]driver.Stream, 0, len(c.queues))
	for s := range c.queues {
		all = append(all, s)
	}
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all
}

// able returns the queues that can continue, in order of creation.
func (c *context) able() []*queue {
	var can []*queue
	for _, s := range c.streams() {
		if q := c.queues[s]; len(q.work) > 0 && (q.work[0].wait == nil || q.work[0].wait()) {
			can = append(can, q)
		}
	}
	return can
}

// until runs pending work, choosing at random among the streams that can continue, until done
// returns true. Other work may remain. Work of contexts that wait for one another runs too.
func (c *context) until(done func() bool) error {
	for !done() {
		can := c.able()
		own := len(can)
		for _, o := range c.linked {
			if !o.closed && o.lost == nil {
				can = append(can, o.able()...)
			}
		}
		if len(can) == 0 {
			if c.lost == nil {
				return &driver.CallError{
					Call: "cuStreamSynchronize", Code: codeLaunchFailed,
					Reason: "the stream waits for a context that is lost or closed",
				}
			}
			return c.lost
		}
		i := c.rng.IntN(len(can))
		q := can[i]
		w := q.work[0]
		q.work = q.work[1:]
		if err := w.do(); err != nil && i < own {
			return err
		}
		if c.lost != nil {
			return c.lost
		}
	}
	return c.lost
}

// drain runs all pending work.
func (c *context) drain() error {
	if c.lost != nil {
		return c.lost
	}
	if !c.o.Reorder {
		return nil
	}
	return c.until(func() bool {
		for _, q := range c.queues {
			if len(q.work) > 0 {
				return false
			}
		}
		return true
	})
}

func (c *context) Synchronize(s driver.Stream) error {
	leave, err := c.enter("cuStreamSynchronize")
	if err != nil {
		return err
	}
	defer leave()
	if s == 0 {
		return c.drain()
	}
	q, err := c.queueOf("cuStreamSynchronize", s)
	if err == nil {
		err = q.uncaptured("cuStreamSynchronize")
	}
	if err != nil {
		return err
	}
	return c.until(func() bool { return len(q.work) == 0 })
}

func (c *context) NewStream(bool) (driver.Stream, error) {
	leave, err := c.enter("cuStreamCreate")
	if err != nil {
		return 0, err
	}
	defer leave()
	s := driver.Stream(c.handle())
	c.queues[s] = &queue{}
	return s, nil
}

func (c *context) CloseStream(s driver.Stream) error {
	leave, err := c.enter("cuStreamDestroy")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuStreamDestroy", s)
	if err != nil {
		return err
	}
	if s == 0 {
		return invalid("cuStreamDestroy", "the default stream")
	}
	err = c.until(func() bool { return len(q.work) == 0 })
	delete(c.queues, s)
	return err
}

func (c *context) NewEvent(timed bool) (driver.Event, error) {
	leave, err := c.enter("cuEventCreate")
	if err != nil {
		return 0, err
	}
	defer leave()
	e := driver.Event(c.handle())
	world.events[e] = &event{of: c, timed: timed}
	return e, nil
}

// eventOf returns an event of the context.
func (c *context) eventOf(call string, e driver.Event) (*event, error) {
	v := world.events[e]
	if v == nil || v.of != c {
		return nil, &driver.CallError{Call: call, Code: codeInvalidHandle, Reason: "no such event"}
	}
	return v, nil
}

func (c *context) CloseEvent(e driver.Event) error {
	leave, err := c.enter("cuEventDestroy")
	if err != nil {
		return err
	}
	defer leave()
	if _, err := c.eventOf("cuEventDestroy", e); err != nil {
		return err
	}
	delete(world.events, e)
	return nil
}

func (c *context) Record(e driver.Event, s driver.Stream) error {
	leave, err := c.enter("cuEventRecord")
	if err != nil {
		return err
	}
	defer leave()
	v, err := c.eventOf("cuEventRecord", e)
	if err != nil {
		return err
	}
	q, err := c.queueOf("cuEventRecord", s)
	if err == nil {
		err = q.uncaptured("cuEventRecord")
	}
	if err != nil {
		return err
	}
	v.recorded++
	if !c.o.Reorder {
		v.reached, v.at = v.recorded, time.Now()
		return nil
	}
	n := v.recorded
	return c.give(q, work{do: func() error {
		v.reached, v.at = max(v.reached, n), time.Now()
		return nil
	}})
}

func (c *context) WaitEvent(s driver.Stream, e driver.Event) error {
	leave, err := c.enter("cuStreamWaitEvent")
	if err != nil {
		return err
	}
	defer leave()
	v := world.events[e]
	if v == nil {
		return &driver.CallError{
			Call: "cuStreamWaitEvent", Code: codeInvalidHandle, Reason: "no such event",
		}
	}
	q, err := c.queueOf("cuStreamWaitEvent", s)
	if err == nil {
		err = q.uncaptured("cuStreamWaitEvent")
	}
	if err != nil {
		return err
	}
	if !c.o.Reorder {
		return nil
	}
	if o := v.of; o != c && !slices.Contains(c.linked, o) {
		c.linked, o.linked = append(c.linked, o), append(o.linked, c)
	}
	n := v.recorded
	return c.give(q, work{
		do: func() error { return nil }, wait: func() bool { return v.reached >= n },
	})
}

func (c *context) SynchronizeEvent(e driver.Event) error {
	leave, err := c.enter("cuEventSynchronize")
	if err != nil {
		return err
	}
	defer leave()
	v, err := c.eventOf("cuEventSynchronize", e)
	if err != nil {
		return err
	}
	n := v.recorded
	return c.until(func() bool { return v.reached >= n })
}

func (c *context) Done(e driver.Event) (bool, error) {
	leave, err := c.enter("cuEventQuery")
	if err != nil {
		return false, err
	}
	defer leave()
	v, err := c.eventOf("cuEventQuery", e)
	if err != nil {
		return false, err
	}
	// A device works on its own, so polling must eventually succeed.
	if v.reached < v.recorded {
		steps := 0
		if err := c.until(func() bool {
			steps++
			return steps > 2 || v.reached >= v.recorded
		}); err != nil {
			return false, err
		}
	}
	return v.reached >= v.recorded, nil
}

func (c *context) Elapsed(from, to driver.Event) (time.Duration, error) {
	leave, err := c.enter("cuEventElapsedTime")
	if err != nil {
		return 0, err
	}
	defer leave()
	a, err := c.eventOf("cuEventElapsedTime", from)
	if err != nil {
		return 0, err
	}
	b, err := c.eventOf("cuEventElapsedTime", to)
	if err != nil {
		return 0, err
	}
	if !a.timed || !b.timed || a.recorded == 0 || b.recorded == 0 {
		return 0, &driver.CallError{
			Call: "cuEventElapsedTime", Code: codeInvalidHandle,
			Reason: "an event that isn't timed or was not recorded",
		}
	}
	if a.reached < a.recorded || b.reached < b.recorded {
		return 0, &driver.CallError{
			Call: "cuEventElapsedTime", Code: 600, Reason: "device not ready",
		}
	}
	return b.at.Sub(a.at), nil
}

// readable returns a range of the memory of the context or of one that it reaches.
func (c *context) readable(p driver.Ptr, n int) []byte {
	b := c.memory.at(p, n)
	for _, o := range c.reached {
		if b == nil && !o.closed {
			b = o.memory.at(p, n)
		}
	}
	return b
}

// ranged checks a range of device memory.
func (c *context) ranged(call string, p driver.Ptr, n int) error {
	if c.memory.at(p, n) == nil {
		return invalid(call, "the range is not within an allocation")
	}
	return nil
}

func (c *context) CopyIn(dst driver.Ptr, src []byte, s driver.Stream) error {
	leave, err := c.enter("cuMemcpyHtoDAsync")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuMemcpyHtoDAsync", s)
	if err != nil || len(src) == 0 {
		return err
	}
	if err := c.ranged("cuMemcpyHtoDAsync", dst, len(src)); err != nil {
		return err
	}
	if !c.later(q) {
		copy(c.memory.at(dst, len(src)), src)
		return nil
	}
	return c.give(q, work{do: func() error { copy(c.memory.at(dst, len(src)), src); return nil }})
}

func (c *context) CopyOut(dst []byte, src driver.Ptr, s driver.Stream) error {
	leave, err := c.enter("cuMemcpyDtoHAsync")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuMemcpyDtoHAsync", s)
	if err != nil || len(dst) == 0 {
		return err
	}
	if err := c.ranged("cuMemcpyDtoHAsync", src, len(dst)); err != nil {
		return err
	}
	if !c.later(q) {
		copy(dst, c.memory.at(src, len(dst)))
		return nil
	}
	return c.give(q, work{do: func() error { copy(dst, c.memory.at(src, len(dst))); return nil }})
}

func (c *context) Copy(dst, src driver.Ptr, n int, s driver.Stream) error {
	leave, err := c.enter("cuMemcpyDtoDAsync")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuMemcpyDtoDAsync", s)
	if err != nil || n == 0 {
		return err
	}
	if err := c.ranged("cuMemcpyDtoDAsync", dst, n); err != nil {
		return err
	}
	if c.readable(src, n) == nil {
		return invalid("cuMemcpyDtoDAsync", "the range is not within an allocation")
	}
	if dst < src+driver.Ptr(n) && src < dst+driver.Ptr(n) {
		return invalid("cuMemcpyDtoDAsync", "the ranges overlap")
	}
	return c.give(q, work{
		do: func() error { copy(c.memory.at(dst, n), c.readable(src, n)); return nil },
	})
}

func (c *context) Fill(dst driver.Ptr, v byte, n int, s driver.Stream) error {
	leave, err := c.enter("cuMemsetD8Async")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuMemsetD8Async", s)
	if err != nil || n == 0 {
		return err
	}
	if err := c.ranged("cuMemsetD8Async", dst, n); err != nil {
		return err
	}
	return c.give(q, work{do: func() error { fill(c.memory.at(dst, n), v); return nil }})
}
