package selfplay

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"tengen/evaluate"
	"tengen/nn"
	"tengen/replay"
	"tengen/search"
)

// Play plays the job's games on the given number of workers, each with a slate
// of so many games side by side, and gives the finished games to emit in the
// order in which the job names them. emit is called by one goroutine; its error
// ends the play and is returned. When ctx ends, Play stops between two batches,
// drops the games that can't be given out in order yet, and returns the
// context's error.
func Play(ctx context.Context, s *Settings, job Job, workers, slate int, counters *Counters, emit func(*replay.Game) error) error {
	if len(job.Games) == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	workers = max(1, min(workers, len(job.Games)))
	slate = max(1, min(slate, (len(job.Games)+workers-1)/workers))
	finished := make(chan *replay.Game, workers)
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := newWorker(ctx, s, &job, &next, slate, counters, finished)
			if err := search.Drive(ctx, w.tasks, w.evaluators); err != nil {
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

// worker is one goroutine's slate of games.
type worker struct {
	ctx        context.Context
	settings   *Settings
	job        *Job
	next       *atomic.Int64 // index into job.Games, shared by all workers
	counters   *Counters
	finished   chan<- *replay.Game
	tasks      []search.Task
	evaluators []search.Evaluator
	network    *evaluate.Network // nil without weights
	counted    evaluate.Stats    // of the network, as far as the counters know them
	uct        *uctSeat
}

func newWorker(ctx context.Context, s *Settings, job *Job, next *atomic.Int64, slate int, counters *Counters, finished chan<- *replay.Game) *worker {
	w := &worker{ctx: ctx, settings: s, job: job, next: next, counters: counters, finished: finished, uct: newUCTSeat(s)}
	if job.Weights != nil {
		newEvaluator := job.NewEvaluator
		if newEvaluator == nil {
			newEvaluator = func(w *nn.Weights) nn.Evaluator { return nn.NewEvaluator(w) }
		}
		capacity := slate * s.Leaves()
		w.network = evaluate.NewNetworkWith(s.Game, newEvaluator(job.Weights), capacity, evaluate.Options{
			Cache: s.Cache, Weights: job.Weights, Canonical: s.Canonical,
		})
		w.network.OnBatch = func(rows int, waited time.Duration) {
			counters.Evaluations.Add(uint64(rows))
			counters.Batches.Add(1)
			counters.BatchRows.Add(uint64(capacity))
			if counters.OnBatch != nil {
				counters.OnBatch(rows, capacity, waited)
			}
			w.countLookups()
		}
		w.evaluators = []search.Evaluator{w.network}
	}
	for range slate {
		w.tasks = append(w.tasks, newTable(w))
	}
	return w
}

// countLookups brings the counters up to date with the network.
func (w *worker) countLookups() {
	if w.network == nil || w.settings.Cache == nil {
		return
	}
	now := w.network.Stats()
	lookups, hits := now.Lookups-w.counted.Lookups, now.Hits-w.counted.Hits
	w.counted = now
	w.counters.Lookups.Add(lookups)
	w.counters.CacheHits.Add(hits)
	if w.counters.OnLookups != nil && lookups > 0 {
		w.counters.OnLookups(lookups, hits)
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
