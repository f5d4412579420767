package selfplay

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/replay"
	"tengen/search"
	"tengen/search/nneval"
)

// Play plays the job's games on the given number of workers, each with a slate
// of so many games side by side, or with two of them where evaluators work
// beside their caller (nn.Async), and gives the finished games to emit in the
// order in which the job names them. emit is called by one goroutine; its error
// ends the play and is returned. When ctx ends, Play stops between two batches,
// drops the games that can't be given out in order yet, and returns the
// context's error. If an evaluator fails, Play returns its error, and
// drops such games likewise.
func Play(ctx context.Context, s *Settings, job Job, workers, slate int, counters *Counters, emit func(*replay.Game) error) error {
	if len(job.Games) == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	workers = max(1, min(workers, len(job.Games)))
	share := (len(job.Games) + workers - 1) / workers
	finished := make(chan *replay.Game, workers)
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := &worker{ctx: ctx, settings: s, job: &job, next: &next, counters: counters, finished: finished, uct: newUCTSeat(s)}
			w.prepare(slate, share)
			defer w.close()
			if err := search.DriveGroups(ctx, w.slates...); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		group.Wait()
		close(finished)
	}()
	early := map[uint64]*replay.Game{} // finished before one that comes first
	given := 0
	for g := range finished {
		early[g.Number] = g
		for given < len(job.Games) && ctx.Err() == nil {
			first, ok := early[job.Games[given]]
			if !ok {
				break
			}
			delete(early, first.Number)
			given++
			if err := emit(first); err != nil {
				cancel(err)
			}
		}
	}
	return context.Cause(ctx)
}

// worker is one goroutine's slates of games.
type worker struct {
	ctx       context.Context
	settings  *Settings
	job       *Job
	next      *atomic.Int64 // index into job.Games, shared by all workers
	counters  *Counters
	finished  chan<- *replay.Game
	slates    []search.Group
	evaluator nn.Evaluator        // nil without weights
	networks  []*nneval.Evaluator // of the slates, all on the evaluator
	counted   []nneval.Stats      // of the networks, as far as the counters know them
	uct       *uctSeat
}

// prepare makes the worker's slates, of so many games at most: two where the
// search of one can go on while the other is evaluated. share is the number of
// games for each worker.
func (w *worker) prepare(slate, share int) {
	n := 1
	if w.job.Weights != nil {
		newEvaluator := w.job.NewEvaluator
		if newEvaluator == nil {
			newEvaluator = nn.Network.NewEvaluator
		}
		w.evaluator = newEvaluator(w.job.Weights)
		if _, ok := w.evaluator.(nn.Async); ok {
			n = 2
		}
	}
	slate = max(1, min(slate, (share+n-1)/n))
	for range n {
		s := search.Group{}
		if w.evaluator != nil {
			s.Evaluators = []search.Evaluator{w.newNetwork(slate * w.settings.Leaves())}
		}
		for range slate {
			s.Tasks = append(s.Tasks, newTable(w))
		}
		w.slates = append(w.slates, s)
	}
}

// newNetwork makes what evaluates the leaves of one slate.
func (w *worker) newNetwork(capacity int) *nneval.Evaluator {
	s, counters := w.settings, w.counters
	n := nneval.NewWith(s.Game, w.evaluator, capacity, nneval.Options{
		Cache: s.Cache, Weights: w.job.Weights, Canonical: s.Canonical,
	})
	n.OnBatch = func(rows int, waited time.Duration) {
		counters.Evaluations.Add(uint64(rows))
		counters.Batches.Add(1)
		counters.BatchRows.Add(uint64(capacity))
		counters.Waited.Add(int64(waited))
		if counters.OnBatch != nil {
			counters.OnBatch(rows, capacity, waited)
		}
		w.countLookups()
	}
	w.networks, w.counted = append(w.networks, n), append(w.counted, nneval.Stats{})
	return n
}

// close gives back what the evaluator holds.
func (w *worker) close() {
	if w.evaluator != nil {
		nn.Close(w.evaluator)
	}
}

// countLookups brings the counters up to date with the networks.
func (w *worker) countLookups() {
	if w.settings.Cache == nil {
		return
	}
	for i, n := range w.networks {
		now := n.Stats()
		lookups, hits := now.Lookups-w.counted[i].Lookups, now.Hits-w.counted[i].Hits
		w.counted[i] = now
		w.counters.Lookups.Add(lookups)
		w.counters.CacheHits.Add(hits)
		if w.counters.OnLookups != nil && lookups > 0 {
			w.counters.OnLookups(lookups, hits)
		}
	}
}

// take returns the number of the next game to play.
func (w *worker) take() (number uint64, ok bool) {
	if w.ctx.Err() != nil {
		return 0, false
	}
	i := w.next.Add(1) - 1
	if i >= int64(len(w.job.Games)) {
		return 0, false
	}
	return w.job.Games[i], true
}
