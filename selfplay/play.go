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

// Play plays the job's games on the given number of workers, each with a group of
// gamesPerWorker concurrent games, or two such groups if evaluators are asynchronous
// (nn.Async). It calls emit with the finished games in the order in which the job lists them,
// from one goroutine; an error of emit ends Play and is returned. When ctx ends, Play stops
// between two batches, drops the games that can't be emitted in order yet, and returns the
// context's error. If an evaluator fails, it drops such games too, and returns that error.
func Play(ctx context.Context, s *Settings, job Job, workers, gamesPerWorker int, counters *Counters, emit func(*replay.Game) error) error {
	if len(job.Games) == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	workers = max(1, min(workers, len(job.Games)))
	share := (len(job.Games) + workers - 1) / workers
	finished := make(chan *replay.Game, workers)
	var next atomic.Int64
	// Games that need no evaluations are not interrupted; no more are started.
	defer context.AfterFunc(ctx, func() { next.Store(int64(len(job.Games))) })()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := &worker{settings: s, job: &job, next: &next, counters: counters, finished: finished, uct: newUCTSearch(s)}
			w.prepare(gamesPerWorker, share)
			defer w.close()
			if err := search.DriveGroups(ctx, w.groups...); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		group.Wait()
		close(finished)
	}()
	early := map[uint64]*replay.Game{} // finished before an earlier one
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

// worker is one goroutine's groups of concurrent games.
type worker struct {
	settings  *Settings
	job       *Job
	next      *atomic.Int64 // index into job.Games, shared by all workers
	counters  *Counters
	finished  chan<- *replay.Game
	groups    []search.Group
	evaluator nn.Evaluator        // nil without weights
	networks  []*nneval.Evaluator // of the groups, all on the evaluator
	counted   []nneval.Stats      // lookups of the networks that are counted already
	uct       *uctSearch
	members   [][]*member // the population, as in Job
}

// prepare makes the worker's groups of at most gamesPerWorker games: two if one can search
// while the other is evaluated. share is the number of games for each worker.
func (w *worker) prepare(gamesPerWorker, share int) {
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
	size := max(1, min(gamesPerWorker, (share+n-1)/n))
	for range n {
		s := search.Group{}
		if w.evaluator != nil {
			s.Evaluators = []search.Evaluator{w.newNetwork(size * w.settings.Leaves())}
		}
		for range size {
			s.Tasks = append(s.Tasks, newSlot(w))
		}
		w.groups = append(w.groups, s)
	}
	if w.evaluator != nil {
		w.invite(size)
	}
}

// newNetwork makes the evaluator of one group.
func (w *worker) newNetwork(capacity int) *nneval.Evaluator {
	s := w.settings
	n := nneval.New(s.Game, w.evaluator, capacity, nneval.Options{
		Cache: s.Cache, Weights: w.job.Weights, Canonical: s.Canonical,
	})
	n.OnBatch = w.counting(capacity)
	w.networks, w.counted = append(w.networks, n), append(w.counted, nneval.Stats{})
	return n
}

// counting returns what counts the batches of an evaluator of the given capacity, in rows.
func (w *worker) counting(capacity int) func(rows int, waited time.Duration) {
	counters := w.counters
	return func(rows int, waited time.Duration) {
		counters.Evaluations.Add(uint64(rows))
		counters.Batches.Add(1)
		counters.BatchRows.Add(uint64(capacity))
		counters.Waited.Add(int64(waited))
		if counters.OnBatch != nil {
			counters.OnBatch(rows, capacity, waited)
		}
		w.countLookups()
	}
}

// close releases what the evaluators hold.
func (w *worker) close() {
	if w.evaluator != nil {
		nn.Close(w.evaluator)
	}
	for _, group := range w.members {
		for _, m := range group {
			for _, e := range m.evaluators {
				search.Close(e)
			}
		}
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
	i := w.next.Add(1) - 1
	if i >= int64(len(w.job.Games)) {
		return 0, false
	}
	return w.job.Games[i], true
}
