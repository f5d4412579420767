package training

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Each calls f for every task, on several goroutines. worker tells them apart
// (0 ≤ worker < workers). Which worker gets a task is left to chance, so results may
// depend on the task alone.
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
			break // all are busy, or their threads are: what they would do is done here
		}
		h.offer.Store(&offer{w, worker})
	}
	w.run(0)
	w.finish()
}

// work is what one call of Each has to do. A helper holds present for reading
// while it takes tasks; the caller takes it for good once no task is left. A helper
// that comes too late, on a busy machine, is not waited for.
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

// finish waits for the helpers that take part.
func (w *work) finish() {
	if !poll(w.present.TryLock) {
		w.present.Lock()
	}
}

// patience is how long a goroutine with nothing to do keeps its thread awake: a
// step makes some hundred calls of Each, and to wake a sleeping thread takes tens of
// microseconds, as long as the tasks of many a call.
const pollFor = 100 * time.Microsecond

// linger polls until ready says so, or patience is at its end.
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
			runtime.Gosched() // whoever is awaited may want this very thread
		}
	}
}

// helper is a goroutine that takes tasks from one call of Each after another,
// until none comes for a while.
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
			continue // taken just now: the offer is on its way
		}
		o := h.offer.Swap(nil)
		w := o.work
		if !w.present.TryRLock() {
			all.add(h)
			continue
		}
		w.run(o.worker)
		all.add(h) // before the caller goes on, who may have more
		w.present.RUnlock()
	}
}

// all are the process's helpers: no more than its threads, so that they need not wait for one another.
var all helpers

type helpers struct {
	mu    sync.Mutex
	idle  []*helper // those that wait for an offer
	count int       // of all of them
}

// add puts a helper among the idle ones.
func (l *helpers) add(h *helper) {
	l.mu.Lock()
	l.idle = append(l.idle, h)
	l.mu.Unlock()
}

// take removes one of the idle ones, the last that worked. Without any it starts one, unless there
// are so many as are wanted, or as run at once.
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

// dismiss removes h, and returns whether it was idle.
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
