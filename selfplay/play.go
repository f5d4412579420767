package selfplay

import (
	"context"
	"sync/atomic"

	"tengen/replay/record"
)

// Play plays the job's games on the given number of workers, each with a group of
// gamesPerWorker concurrent games, or two such groups if evaluators are asynchronous
// (nn.Async). It calls emit with the finished games in the order in which the job lists them,
// from one goroutine; an error of emit ends Play and is returned. When ctx ends, Play stops
// between two batches, drops the games that can't be emitted in order yet, and returns the
// context's error. If an evaluator fails, it drops such games too, and returns that error.
func Play(
	ctx context.Context, s *Settings, job Job, workers, gamesPerWorker int, counters *Counters,
	emit func(*record.Game) error,
) error {
	if len(job.Games) == 0 {
		return ctx.Err()
	}
	workers = max(1, min(workers, len(job.Games)))
	share := (len(job.Games) + workers - 1) / workers
	p := NewPool(s, &oneJob{job: &job}, workers, gamesPerWorker, counters)
	p.Ordered, p.share = true, share
	return p.Play(ctx, &job, emit)
}

// oneJob is a Source of the games of one job.
type oneJob struct {
	job  *Job
	next atomic.Int64
}

// Next implements Source.
func (s *oneJob) Next() (number uint64, job *Job, more bool) {
	i := s.next.Add(1) - 1
	if i >= int64(len(s.job.Games)) {
		return 0, nil, false
	}
	return s.job.Games[i], s.job, true
}
