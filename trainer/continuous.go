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
	"tengen/run"
	"tengen/selfplay"
)

// ContinuousState is the state of a continuous cycle in a checkpoint.
type ContinuousState struct {
	// Streams is the number of games begun: each has random streams of its own, by number. Those of games that
	// were in progress at the end of a process are not used again.
	Streams uint64 `json:"streams"`
}

// feed is the self-play of a continuous cycle. Games begin with the newest network as long as no more than an
// iteration's games are finished and not taken by the run. A finished game gets the next number, is made
// durable, and only then can be taken.
type feed struct {
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
	room    int           // from which no more begin: those of an iteration, and those that are played at a time
	ready   []*record.Game
	closed  bool // no more games begin
	idle    idleTime
	arrived chan struct{} // receives a value after games have become ready
}

// continuous reports whether games never stop.
func (r *runner) continuous() bool { return r.plan.Config.Training.Cycle == configs.CycleContinuous }

// startFeed begins to play. weights is the newest network.
func (r *runner) startFeed(ctx context.Context, weights nn.Network) (*feed, error) {
	if r.state.Continuous == nil {
		r.state.Continuous = &ContinuousState{}
	}
	f := &feed{
		r: r, ended: make(chan struct{}), arrived: make(chan struct{}, 1),
		ready: r.pending, ahead: len(r.pending), streams: r.state.Continuous.Streams,
		next: uint64(r.state.Games), iteration: r.state.Iteration, left: r.plan.gamesOf(r.state.Iteration),
	}
	r.pending = nil
	for _, g := range f.ready {
		f.number(&record.Game{})
		f.next = g.Number + 1
		f.streams = max(f.streams, g.Stream+1)
	}
	f.writer = &gameWriter{folder: r.folder, write: r.write, now: r.now, committed: r.now(), durable: f.durable}
	if err := f.set(weights); err != nil {
		return nil, err
	}
	var inner context.Context
	inner, f.stop = context.WithCancel(ctx)
	f.pool = selfplay.NewPool(&r.plan.Play, f, r.plan.Workers, r.plan.GamesPerWorker(), &r.monitor.Counters)
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
func (f *feed) number(g *record.Game) {
	if f.left == 0 {
		f.iteration++
		f.left = f.r.plan.gamesOf(f.iteration)
	}
	f.left--
	g.Number, g.Iteration = f.next, f.iteration
	f.next++
}

// durable hands games to the run that are durable now.
func (f *feed) durable(games []*record.Game) {
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
func (f *feed) set(weights nn.Network) error {
	r := f.r
	job, err := r.networkJob(r.state.Iteration, r.basisNow(weights))
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
func (f *feed) elsewhere() int {
	if c := f.r.plan.Play.Crew; c != nil {
		return c.Games()
	}
	return 0
}

// Next implements selfplay.Source.
func (f *feed) Next() (number uint64, job *selfplay.Job, more bool) {
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

// take returns the games that are ready, at most n. If there is none it waits for some if wait is set.
func (f *feed) take(n int, wait bool) ([]*record.Game, error) {
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
func (f *feed) idled() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.idle.take(f.r.now)
}

// close ends the play, keeps the finished games, and returns the error of writing them.
func (f *feed) close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.stop()
	<-f.ended
	f.ticker.Stop()
	f.r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	return f.err
}

// learn runs one iteration of a continuous cycle: it takes as many games as an iteration has, as they
// come, and makes the training steps that are due for them. It returns the games.
func (r *runner) learn(ctx context.Context) (games []*record.Game, got *updateResult, entered int, err error) {
	c := r.plan.Config
	iteration, n := r.state.Iteration, r.plan.gamesOf(r.state.Iteration)
	u, f := r.updater, r.feed
	f.mu.Lock()
	there := len(f.ready)
	f.mu.Unlock()
	r.enter(run.StageSelfPlay, n)
	r.monitor.beginPlay(there, r.now)
	defer r.monitor.endPlay()
	update, err := u.begin(iteration)
	if err != nil {
		return nil, nil, 0, err
	}
	u.trainer.SetScale(r.rateScale())
	r.asked = 0
	for {
		due := r.stepsDue(update.steps, len(games), n) > 0
		more := n - len(games)
		if !due && more == 0 {
			break
		}
		began := r.now()
		list, err := f.take(more, !due)
		if err != nil {
			return nil, nil, 0, err
		}
		waited := r.now().Sub(began)
		update.waited += waited
		r.metrics.WaitedForGames.Add(waited.Seconds())
		if len(list) > 0 {
			u.window.SetCapacity(c.Replay.Window(int(list[len(list)-1].Number) + 1))
			k, err := u.add(ctx, list)
			if err != nil {
				return nil, nil, 0, fmt.Errorf("iteration %d: %w", iteration, err)
			}
			for _, g := range list {
				r.asked += g.Evaluations
				update.lag.add(g, u.trainer.Steps())
			}
			games = append(games, list...)
			entered += k
			r.metrics.NewPositions.Add(float64(k))
		}
		// A step at a time would read the clock and the window for each; games that come meanwhile wait for a few.
		for range min(16, r.stepsDue(update.steps, len(games), n)) {
			r.enterOnce(run.StageUpdate)
			if ctx.Err() != nil {
				return nil, nil, 0, ctx.Err()
			}
			done := float64(iteration) + float64(len(games))/float64(n)
			share := r.progressAfter(done, float64(r.state.Evaluations+r.asked))
			if err := update.step(share); err != nil {
				return nil, nil, 0, err
			}
		}
		r.enterOnce(run.StageSelfPlay)
	}
	if got, err = update.end(ctx); err != nil {
		return nil, nil, 0, err
	}
	got.waited, got.lag = update.waited, update.lag
	f.mu.Lock()
	r.state.Continuous = &ContinuousState{Streams: f.streams}
	f.mu.Unlock()
	return games, got, entered, nil
}

// epochs returns how often an update goes through the window, and the most steps that it makes; 0: any.
func (p *Plan) epochs(iteration int) (epochs float64, most int) {
	c := p.Config
	if iteration == 0 && c.WarmStart.InitialEpochs > 0 {
		return c.WarmStart.InitialEpochs, 0
	}
	return c.Training.Epochs, c.Training.MaxSteps
}

// stepsDue returns the number of steps to be made after some of the n games of an iteration, when some are
// made: the share of the steps of an update of a synchronous cycle that the games are of an iteration's.
func (r *runner) stepsDue(made, games, n int) int {
	samples := len(r.updater.window.Samples(false))
	if samples == 0 {
		return 0
	}
	epochs, most := r.plan.epochs(r.state.Iteration)
	steps := stepsOf(epochs, most, samples, r.plan.Train.Batch)
	return max(0, int(int64(steps)*int64(games)/int64(n))-made)
}
