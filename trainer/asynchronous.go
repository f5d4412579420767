package trainer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/configs"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/selfplay"
)

// AsynchronousState is the state of an asynchronous cycle in a checkpoint.
type AsynchronousState struct {
	// Streams is the number of games begun: each has random streams of its own, by number. Those of
	// games that were in progress at the end of a process are not used again.
	Streams uint64 `json:"streams"`
}

// source is the self-play of an asynchronous cycle. Games begin with the newest network as long as
// no more than an iteration's games are finished and not taken by the run. A finished game gets the
// next number, is made durable, and only then can be taken.
type source struct {
	r      *runner
	pool   *selfplay.Pool
	stop   context.CancelFunc
	ended  chan struct{} // closed when no more games are played
	err    error         // why, once ended is closed
	ticker *time.Ticker

	// These belong to the goroutine that plays.
	writer    *gameWriter
	next      uint64 // number of the next game
	iteration int    // that it belongs to
	left      int    // games of that iteration that have no number

	mu      sync.Mutex
	alone   *selfplay.Job // of the games that UCT plays alone
	job     *selfplay.Job // of the others
	streams uint64        // games begun, over all processes
	ahead   int           // games that have begun, or were on disk, and that the run has not taken
	// from which no more begin: those of an iteration, and those that are played at a time
	room    int
	ready   []*record.Game
	closed  bool // no more games begin
	idle    idleTime
	arrived chan struct{} // receives a value after games have become ready
}

// asynchronous reports whether games never stop.
func (r *runner) asynchronous() bool {
	return r.plan.Config.Training.Cycle == configs.CycleAsynchronous
}

// startSource begins to play. weights is the newest network.
func (r *runner) startSource(ctx context.Context, weights nn.Network) (*source, error) {
	if r.state.Asynchronous == nil {
		r.state.Asynchronous = &AsynchronousState{}
	}
	f := &source{
		r: r, ended: make(chan struct{}), arrived: make(chan struct{}, 1),
		ready: r.pending, ahead: len(r.pending), streams: r.state.Asynchronous.Streams,
		next: uint64(r.state.Games), iteration: r.state.Iteration,
		left: r.plan.gamesOf(r.state.Iteration),
	}
	r.pending = nil
	for _, g := range f.ready {
		f.number(&record.Game{})
		f.next = g.Number + 1
		f.streams = max(f.streams, g.Stream+1)
	}
	f.writer = &gameWriter{
		folder: r.folder, write: r.write, now: r.now, committed: r.now(), durable: f.durable,
	}
	if err := f.set(weights); err != nil {
		return nil, err
	}
	var inner context.Context
	inner, f.stop = context.WithCancel(ctx)
	f.pool = selfplay.NewPool(&r.plan.Play, f, r.plan.Workers, r.plan.GamesPerWorker(),
		&r.monitor.Counters)
	f.pool.Newest = true
	f.ticker = time.NewTicker(commitEvery)
	f.pool.Tick, f.pool.OnTick = f.ticker.C, func() error { return f.writer.flush(inner, true) }
	first := f.job
	go func() {
		defer close(f.ended)
		err := f.pool.Play(inner, first, func(g *record.Game) error {
			observeGame(r.metrics, g)
			g.Stream, g.EndOrder = g.Number, true
			f.number(g)
			return f.writer.add(inner, g)
		})
		if e := f.writer.close(ctx); e != nil {
			err = errors.Join(err, e)
		} else if inner.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
			err = nil // the run is over
		}
		f.err = err
	}()
	return f, nil
}

// number gives a finished game its number and its iteration.
func (f *source) number(g *record.Game) {
	if f.left == 0 {
		f.iteration++
		f.left = f.r.plan.gamesOf(f.iteration)
	}
	f.left--
	g.Number, g.Iteration = f.next, f.iteration
	f.next++
}

// durable hands games to the run that are durable now.
func (f *source) durable(games []*record.Game) {
	f.r.durable(games)
	f.mu.Lock()
	f.ready = append(f.ready, games...)
	f.mu.Unlock()
	select {
	case f.arrived <- struct{}{}:
	default:
	}
}

// set makes a network the newest, with which games begin.
func (f *source) set(weights nn.Network) error {
	r := f.r
	job, err := r.networkJob(r.state.Iteration, r.inputsNow(weights))
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.job, f.room = job, r.plan.gamesOf(r.state.Iteration)+r.plan.ConcurrentGames()
	if f.alone == nil {
		alone := *job
		alone.Epsilon, alone.Resign = 1, 0
		f.alone = &alone
	}
	r.metrics.PlayingStep.Set(float64(job.Step))
	return nil
}

// elsewhere returns the number of games that are played at a time by others than this process.
func (f *source) elsewhere() int {
	if c := f.r.plan.Play.Remote; c != nil {
		return c.Games()
	}
	return 0
}

// Next implements selfplay.Source.
func (f *source) Next() (number uint64, job *selfplay.Job, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return 0, nil, false
	case f.ahead >= f.room+f.elsewhere():
		f.idle.begin(f.r.now)
		return 0, nil, true
	}
	number = f.streams
	f.streams++
	f.ahead++
	if number < uint64(f.r.plan.Config.WarmStart.InitialGames) {
		return number, f.alone, true
	}
	return number, f.job, true
}

// take returns the games that are ready, at most n. If there is none it waits for some if wait is
// set.
func (f *source) take(n int, wait bool) ([]*record.Game, error) {
	for ended := false; ; {
		f.mu.Lock()
		if k := min(n, len(f.ready)); k > 0 {
			games := f.ready[:k:k]
			f.ready = append([]*record.Game(nil), f.ready[k:]...)
			f.ahead -= k
			woken := f.idle.running() && f.ahead < f.room+f.elsewhere()
			if woken {
				f.idle.end(f.r.now)
			}
			f.mu.Unlock()
			if woken {
				f.pool.Wake()
			}
			return games, nil
		}
		f.mu.Unlock()
		switch {
		case ended && f.err != nil:
			return nil, f.err
		case ended:
			return nil, fmt.Errorf("iteration %d: self-play has ended", f.r.state.Iteration)
		case !wait:
			select {
			case <-f.ended:
				ended = true
				continue
			default:
			}
			return nil, nil
		}
		select {
		case <-f.arrived:
		case <-f.ended:
			ended = true
		}
	}
}

// idled returns the time for which workers have found no game to begin, since the last call.
func (f *source) idled() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.idle.take(f.r.now)
}

// close ends the play, keeps the finished games, and returns the error of writing them.
func (f *source) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
	<-f.ended
	f.ticker.Stop()
	f.r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	return f.err
}

// there returns the number of games that are ready.
func (f *source) there() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.ready)
}

// begun returns the number of games begun, over all processes.
func (f *source) begun() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}
