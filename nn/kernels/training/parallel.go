package training

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Each calls f for every task, on up to workers goroutines, and returns when all tasks are done.
// Calls with the same worker, 0 ≤ worker < workers, are never concurrent. Which worker gets a
// task is not determined, so results must depend on the task alone.
func Each(workers, tasks int, f func(worker, task int)) {
	if workers = min(workers, tasks); workers <= 1 {
		for t := range tasks {
			f(0, t)
		}
		return
	}
	w := &work{tasks: int64(tasks), f: f}
	for worker := 1; worker < workers; worker++ {
		h := all.take(workers - 1)
		if h == nil {
			break // all helpers are busy: their tasks are done here
		}
		h.offer.Store(&offer{w, worker})
	}
	w.run(0)
	w.finish()
}

// work is one call of Each. A helper holds a read lock on present while it takes
// tasks; when no task is left, the caller locks it and never unlocks it. So the caller does
// not wait for helpers that have not started, as may happen on a busy machine.
type work struct {
	f       func(worker, task int)
	tasks   int64
	next    atomic.Int64
	present sync.RWMutex
}

func (w *work) run(worker int) {
	for {
		t := w.next.Add(1) - 1
		if t >= w.tasks {
			return
		}
		w.f(worker, int(t))
	}
}

// finish waits for the helpers that have started.
func (w *work) finish() {
	if !poll(w.present.TryLock) {
		w.present.Lock()
	}
}

// pollFor is how long an idle goroutine polls before it sleeps: a training step makes some
// hundred calls of Each, and waking a sleeping thread takes tens of microseconds, as
// long as all tasks of many of these calls.
const pollFor = 100 * time.Microsecond

// poll calls ready until it returns true, or pollFor has passed.
func poll(ready func() bool) bool {
	var start time.Time
	for i := 1; ; i++ {
		if ready() {
			return true
		}
		if i%64 > 0 {
			continue
		}
		if start.IsZero() {
			start = time.Now()
		} else if time.Since(start) > pollFor {
			return false
		}
		if i%4096 == 0 {
			runtime.Gosched() // the goroutine waited for may need this thread
		}
	}
}

// helper is a goroutine that takes tasks from one call of Each after another. It exits
// when it has been idle for pollFor.
type helper struct{ offer atomic.Pointer[offer] }

// offer asks a helper to take part as the given worker.
type offer struct {
	work   *work
	worker int
}

func (h *helper) serve() {
	for {
		offered := func() bool { return h.offer.Load() != nil }
		if !poll(offered) {
			if all.dismiss(h) {
				return
			}
			continue // take has just removed it: an offer will follow
		}
		o := h.offer.Swap(nil)
		w := o.work
		if !w.present.TryRLock() {
			all.add(h)
			continue
		}
		w.run(o.worker)
		all.add(h) // before the caller continues, so that its next call of Each finds h
		w.present.RUnlock()
	}
}

// all are the helpers of the process.
var all helpers

type helpers struct {
	mu    sync.Mutex
	idle  []*helper // waiting for an offer
	count int       // of all helpers
}

// add adds an idle helper.
func (l *helpers) add(h *helper) {
	l.mu.Lock()
	l.idle = append(l.idle, h)
	l.mu.Unlock()
}

// take removes and returns the idle helper that worked last. If there is none it starts one,
// or returns nil if there are already max(wanted, GOMAXPROCS−1) helpers.
func (l *helpers) take(wanted int) *helper {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.idle); n > 0 {
		h := l.idle[n-1]
		l.idle = l.idle[:n-1]
		return h
	}
	if l.count >= max(wanted, runtime.GOMAXPROCS(0)-1) {
		return nil
	}
	l.count++
	h := new(helper)
	go h.serve()
	return h
}

// dismiss removes h for good if it is idle, and reports whether it was.
func (l *helpers) dismiss(h *helper) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.idle, h)
	if i < 0 {
		return false
	}
	l.idle = slices.Delete(l.idle, i, i+1)
	l.count--
	return true
}
