package analysis

import (
	"cmp"
	"container/heap"
	"slices"
	"sync"
	"sync/atomic"
)

// job is the analysis of one position of a query.
type job struct {
	*query
	position
	order   uint64      // of its arrival
	stopped atomic.Bool // it is to end with what it has found
}

// queue holds the jobs that have not ended. Its methods are safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting waiting
	running map[*job]bool
	arrived uint64
	closed  bool // no more jobs come
}

// mostWaiting is the number of waiting jobs above which no more are read.
const mostWaiting = 1 << 16

func newQueue() *queue {
	q := &queue{running: map[*job]bool{}}
	q.changed.L = &q.mu
	return q
}

// Add adds the jobs of a query, once there is room. After Close it drops them.
func (q *queue) Add(x *query) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) >= mostWaiting && !q.closed {
		q.changed.Wait()
	}
	if q.closed {
		return
	}
	for _, p := range x.turns {
		heap.Push(&q.waiting, &job{query: x, position: p, order: q.arrived})
		q.arrived++
	}
	q.changed.Broadcast()
}

// Next returns the waiting job that comes first, once there is one, and nil after Close when
// there are none. Done tells that it has ended.
func (q *queue) Next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) == 0 {
		if q.closed {
			return nil
		}
		q.changed.Wait()
	}
	j := heap.Pop(&q.waiting).(*job)
	q.running[j] = true
	q.changed.Broadcast()
	return j
}

func (q *queue) Done(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.running, j)
}

// Stop ends the jobs that match: it removes and returns those that wait, in their order, and tells
// those that run.
func (q *queue) Stop(match func(*job) bool) (removed []*job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	kept := q.waiting[:0]
	for _, j := range q.waiting {
		if match(j) {
			removed = append(removed, j)
		} else {
			kept = append(kept, j)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
	heap.Init(&q.waiting)
	for j := range q.running {
		if match(j) {
			j.stopped.Store(true)
		}
	}
	q.changed.Broadcast()
	slices.SortFunc(removed, func(a, b *job) int { return cmp.Compare(a.order, b.order) })
	return removed
}

// Close tells that no more jobs come. If at once is set those that wait are dropped, and those
// that run are told to end.
func (q *queue) Close(atOnce bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if atOnce {
		q.waiting = nil
		for j := range q.running {
			j.stopped.Store(true)
		}
	}
	q.changed.Broadcast()
}

// waiting is a heap of jobs: first the highest priority, then the earliest.
type waiting []*job

func (w waiting) Len() int      { return len(w) }
func (w waiting) Swap(i, j int) { w[i], w[j] = w[j], w[i] }
func (w waiting) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(w[j].priority, w[i].priority),
		cmp.Compare(w[i].order, w[j].order)) < 0
}
func (w *waiting) Push(x any) { *w = append(*w, x.(*job)) }
func (w *waiting) Pop() any {
	n := len(*w) - 1
	j := (*w)[n]
	(*w)[n] = nil
	*w = (*w)[:n]
	return j
}
