package modelled

import (
	"sync"
	"time"
)

// Usage is how a device was used during some time.
type Usage struct {
	Seconds float64 `json:"seconds"`
	// share of the time in which it computed something, as nvidia-smi tells it
	Busy     float64 `json:"busy"`
	Work     float64 `json:"work"`     // share of what it could have computed in the time
	Training float64 `json:"training"` // share of the time that training steps took, in both
	Batches  int     `json:"batches"`
	Rows     int     `json:"rows"` // of all batches
	Steps    int     `json:"steps"`
}

// queue is the work that a device was given. Work is done in the order in which it comes, at the
// full rate of the device, but no batch is done before its least time is over: a batch that does
// not fill the device leaves room for others. Times are since the start.
type queue struct {
	model Model

	mu       sync.Mutex
	free     time.Duration // when what was given would be done at the full rate
	covered  time.Duration // the end of the last time in which something is computed
	busy     time.Duration // the length of the union of these times
	work     time.Duration
	training time.Duration
	since    time.Duration // of the last usage
	usage    Usage         // counts since then
}

// batch adds a batch at a time, and returns when its results are there.
func (q *queue) batch(now time.Duration, rows int) (done time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Batches++
	q.usage.Rows += rows
	w := q.model.work(rows)
	q.free = max(q.free, now) + w
	q.work += w
	done = max(q.free, now+q.model.latency(rows))
	q.cover(now+q.model.Launch/2, done-q.model.Launch/2)
	return done
}

// step adds a training step.
func (q *queue) step(now time.Duration, rows int) (done time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.usage.Steps++
	w := q.model.step(rows)
	q.free = max(q.free, now) + w
	q.work += w
	q.training += w
	q.cover(q.free-w, q.free)
	return q.free
}

// cover adds a time in which something is computed.
func (q *queue) cover(from, to time.Duration) {
	if from = max(from, q.covered); to > from {
		q.busy += to - from
		q.covered = to
	}
}

// read returns the usage since the last time, and begins anew. What was begun before and ends after
// now counts after it.
func (q *queue) read(now time.Duration) Usage {
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.usage
	later := max(0, q.covered-now)
	span := now - q.since
	rest := min(q.work, max(0, q.free-now))
	u.Seconds = span.Seconds()
	if span > 0 {
		u.Busy = share(q.busy-later, span)
		u.Work = share(q.work-rest, span)
		u.Training = share(q.training, span)
	}
	q.since, q.usage, q.busy, q.work, q.training = now, Usage{}, later, rest, 0
	return u
}

func share(part, whole time.Duration) float64 {
	return min(1, max(0, part.Seconds()/whole.Seconds()))
}
