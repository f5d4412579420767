package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/configs"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
)

// pipeline plays the games of a pipelined cycle. Iteration k+1 is played with the network that
// iteration k-1 has given, so that its games begin while those of iteration k end and while the
// network learns from them. What they depend on is in a inputs: the run after iteration k-1 (for
// the first two iterations, at the start). So the games are the same however long anything takes.
//
// Its methods are called by the goroutine of the run.
type pipeline struct {
	r      *runner
	pool   *selfplay.Pool
	stop   context.CancelFunc
	ended  chan struct{} // closed when no more games are played
	err    error         // why, once ended is closed
	writer *gameWriter   // belongs to the goroutine that plays
	next   int           // number of the first game that is in no job
	queued int           // iterations whose games are in jobs

	mu      sync.Mutex
	jobs    []*selfplay.Job // Games: those that are not begun
	ends    []int           // numbers of the games after the iterations from that of the start on
	began   int             // iteration of the start
	closed  bool            // no more jobs come
	games   []*record.Game  // finished, and not taken by the run yet
	idle    idleTime        // of the workers
	arrived chan struct{}   // receives a value after games have arrived
}

// pipelined reports whether games are played ahead.
func (r *runner) pipelined() bool { return r.plan.Config.Training.Cycle == configs.CyclePipelined }

// ahead returns the number of iterations after the finished ones whose games may be on disk.
func (r *runner) ahead() int {
	if r.pipelined() {
		return 2
	}
	return 1
}

// checkpointsNeeded returns the number of the newest checkpoints that are kept, so that the run can
// be resumed from each of the last checkpoints.keep_last: with a pipeline each needs the one
// before.
func (r *runner) checkpointsNeeded() int {
	return r.plan.Config.Checkpoints.KeepLast + r.ahead() - 1
}

// startPipeline begins to play the next two iterations. weights is the newest network.
func (r *runner) startPipeline(ctx context.Context, weights nn.Network) (*pipeline, error) {
	p := &pipeline{
		r: r, next: r.state.Games, queued: r.state.Iteration, began: r.state.Iteration,
		arrived: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	p.games, r.pending = p.usable(r.pending), nil
	p.writer = &gameWriter{
		folder: r.folder, write: r.write, now: r.now, committed: r.now(), durable: r.durable,
	}
	now := r.inputsNow(weights)
	before := r.previous
	if before == nil {
		before = now
	}
	first := &selfplay.Job{Weights: before.weights}
	for i, b := range []*inputs{before, now} {
		if r.state.Iteration+i < r.plan.Config.Training.Iterations {
			if err := p.add(b); err != nil {
				return nil, err
			}
		}
	}
	r.previous = nil
	if len(p.jobs) > 0 {
		first = p.jobs[0]
	}
	var inner context.Context
	inner, p.stop = context.WithCancel(ctx)
	p.pool = selfplay.NewPool(&r.plan.Play, p, r.plan.Workers, r.plan.GamesPerWorker(),
		&r.monitor.Counters)
	p.pool.Ordered = true
	go func() {
		defer close(p.ended)
		err := p.pool.Play(inner, first, func(g *record.Game) error { return p.emit(inner, g) })
		if e := p.writer.close(ctx); e != nil {
			err = errors.Join(err, e)
		} else if inner.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
			err = nil // the run is over
		}
		p.err = err
	}()
	return p, nil
}

// usable returns the games at the beginning of a list that can be taken for those of the next
// iterations.
func (p *pipeline) usable(games []*record.Game) []*record.Game {
	iteration, end := p.r.state.Iteration, p.r.state.Games+p.r.plan.gamesOf(p.r.state.Iteration)
	for i, g := range games {
		number := p.r.state.Games + i
		if number == end {
			iteration++
			end += p.r.plan.gamesOf(iteration)
		}
		if g.Number != uint64(number) || g.Iteration != iteration {
			return games[:i] // a gap, or another number of games: those after it are played again
		}
	}
	return games
}

// inputsNow returns the run as it is now as the inputs of games.
func (r *runner) inputsNow(weights nn.Network) *inputs {
	return &inputs{
		step: uint64(r.updater.Trainer.Steps()), evaluations: r.state.Evaluations,
		weights: weights, resign: r.state.Resignation.threshold(),
	}
}

// add adds the games of the next iteration that is in no job.
func (p *pipeline) add(b *inputs) error {
	numbers := p.r.numbers(p.queued, p.next)
	p.next += len(numbers)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = append(p.ends, p.next)
	// At the start some games are on disk already.
	on := p.r.state.Games + len(p.games)
	for len(numbers) > 0 && p.pool == nil && numbers[0] < uint64(on) {
		numbers = numbers[1:]
	}
	jobs, err := p.r.jobs(p.queued, numbers, b)
	if err != nil {
		return err
	}
	p.queued++
	p.jobs = append(p.jobs, jobs...)
	if p.pool != nil {
		defer p.pool.Wake()
	}
	p.idle.end(p.r.now)
	return nil
}

// Next implements selfplay.Source.
func (p *pipeline) Next() (number uint64, job *selfplay.Job, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.jobs) > 0 {
		job := p.jobs[0]
		if len(job.Games) == 0 {
			p.jobs = p.jobs[1:]
			continue
		}
		number := job.Games[0]
		job.Games = job.Games[1:]
		p.r.metrics.PlayingStep.Set(float64(job.Step))
		return number, job, true
	}
	if !p.closed {
		p.idle.begin(p.r.now)
	}
	return 0, nil, !p.closed
}

// emit writes a game and hands it to the run. The last game of an iteration is durable then, and so
// are all before it.
func (p *pipeline) emit(ctx context.Context, g *record.Game) error {
	observeGame(p.r.metrics, g)
	if err := p.writer.add(ctx, g); err != nil {
		return err
	}
	p.mu.Lock()
	last := g.Number+1 == uint64(p.ends[g.Iteration-p.began])
	p.mu.Unlock()
	if last {
		if err := p.writer.flush(ctx, true); err != nil {
			return err
		}
	}
	p.mu.Lock()
	p.games = append(p.games, g)
	p.mu.Unlock()
	if last {
		select {
		case p.arrived <- struct{}{}:
		default:
		}
	}
	return nil
}

// take waits for the games of the next iteration and returns them in order of number.
func (p *pipeline) take() ([]*record.Game, error) {
	r := p.r
	n := r.plan.gamesOf(r.state.Iteration)
	p.mu.Lock()
	there := len(p.games)
	p.mu.Unlock()
	r.enter(run.StageSelfPlay, n)
	r.monitor.beginPlay(min(there, n), r.now)
	defer r.monitor.endPlay()
	for ended := false; ; {
		p.mu.Lock()
		if len(p.games) >= n {
			games := p.games[:n:n]
			p.games = append([]*record.Game(nil), p.games[n:]...)
			p.mu.Unlock()
			return games, nil
		}
		p.mu.Unlock()
		if ended {
			if p.err == nil {
				return nil, fmt.Errorf("iteration %d: self-play has ended before its games",
					r.state.Iteration)
			}
			return nil, p.err
		}
		select {
		case <-p.arrived:
		case <-p.ended:
			ended = true
		}
	}
}

// idled returns the time for which workers have found no game to begin, since the last call.
func (p *pipeline) idled() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle.take(p.r.now)
}

// close ends the play, keeps the finished games, and returns the error of writing them.
func (p *pipeline) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stop()
	<-p.ended
	p.r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	return p.err
}

// restorePrevious loads the run as it was at the checkpoint before the one that it is resumed from,
// for the games of the next iteration. Without that checkpoint the present one takes its place;
// only the loss of a device is an error.
func (r *runner) restorePrevious() error {
	if !r.pipelined() || r.state.Iteration == 0 {
		return nil
	}
	iteration := r.state.Iteration - 1
	b, s := new(inputs), new(State)
	network, err := r.plan.savedPlaying(r.folder, iteration, r.state.Init)
	if err == nil && (iteration > 0 || r.state.Init != "") {
		s, b.step, err = r.savedState(iteration)
	}
	switch {
	case backend.Lost(err):
		return err
	case err != nil:
		// Continuing matters more than equality with an uninterrupted run.
		r.warn(fmt.Sprintf("the checkpoint of iteration %d can't be read; that of iteration %d takes its place in the games: %v", iteration, r.state.Iteration, err), r.state.Iteration)
		return nil
	}
	b.weights, b.evaluations, b.resign = network.weights, s.Evaluations, s.Resignation.threshold()
	r.previous = b
	return nil
}

// savedState returns the state in a checkpoint, and its training steps.
func (r *runner) savedState(iteration int) (*State, uint64, error) {
	c, err := r.folder.Store().Load(r.folder.Checkpoint(iteration))
	if err != nil {
		return nil, 0, err
	}
	s := new(State)
	return s, c.Step, json.Unmarshal(c.State, s)
}
