package trainer

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"tengen/configs"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/replay/window"
	"tengen/run"
	"tengen/trainer/learn"
)

// newUpdater returns what trains a plan's network, with an empty window.
func newUpdater(p *Plan, params *nn.Params) (*learn.Updater, error) {
	c, t := p.Config, p.Config.Training
	o := &learn.Options{
		Game: p.Game, Spec: p.Spec, Seed: c.Seed, Train: p.Train, Backend: p.device(), Load: p.Load,
		Goroutines: min(p.Workers, runtime.GOMAXPROCS(0)),
		Newest:     t.Playing == configs.PlayingNewest, Magnet: t.Magnet,
		UniformMagnet: t.UniformMagnet,
	}
	if p.Play.Remote != nil {
		// Most games are played elsewhere: selfplay.workers says how much this process plays, and
		// the others wait while it learns.
		o.Train.Workers, o.Goroutines = 0, runtime.GOMAXPROCS(0)
	}
	var auxiliary *window.AuxiliaryTargets
	if t.LabelWeight > 0 {
		auxiliary = window.NewAuxiliaryTargets(p.Game)
	}
	o.Encoder = window.EncoderConfig{
		Support: p.Spec.Support, Mix: p.valueMix(), Bootstrap: 1 - t.ValueLambda,
		Auxiliary: auxiliary, Checked: true,
	}
	o.Window = window.Config{
		Auxiliary: auxiliary, Capacity: c.Replay.Games, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
		Trees:       p.Descends() && c.Descent.Targets == configs.TargetsTree,
		Afterstates: c.Search.Afterstates,
		FullOnly:    !p.Descends() && t.FastPositions == configs.FastNone,
	}
	return learn.New(o, params)
}

// epochs returns how often an update goes through the window, and the most steps that it makes; 0:
// any.
func (p *Plan) epochs(iteration int) (epochs float64, most int) {
	c := p.Config
	if iteration == 0 && c.WarmStart.InitialEpochs > 0 {
		return c.WarmStart.InitialEpochs, 0
	}
	return c.Training.Epochs, c.Training.MaxSteps
}

// learned is what an iteration has learned, and from which games.
type learned struct {
	*learn.Result
	games   []*record.Game
	entered int           // positions that entered the window
	lag     lagMean       // of the games
	played  time.Duration // for which the run waited for games
	waited  time.Duration // the same by the machine's clock
}

// learn takes the games of an iteration, as they come, and makes the training steps that are due
// for them: in an asynchronous cycle the share of an update's steps that the games are of an
// iteration's, otherwise all of them once all games have entered the window.
func (r *runner) learn(ctx context.Context) (*learned, error) {
	iteration, n := r.state.Iteration, r.plan.gamesOf(r.state.Iteration)
	order, u, x := learn.Permuted, r.updater, &learned{}
	if r.source != nil {
		order = learn.Drawn
		r.enter(run.StageSelfPlay, n)
		r.monitor.beginPlay(r.source.there(), r.now)
		defer r.monitor.endPlay()
	}
	update, err := u.Begin(iteration, order)
	if err != nil {
		return nil, err
	}
	defer update.Abandon()
	u.Trainer.SetScale(r.rateScale())
	r.asked = 0
	stage := run.StageSelfPlay
	for {
		due := r.stepsDue(update.Steps, len(x.games), n)
		if due == 0 && len(x.games) == n {
			break
		}
		if len(x.games) < n {
			list, err := r.take(ctx, x, n-len(x.games), due == 0)
			if err == nil {
				err = r.enterWindow(ctx, x, list)
			}
			if err != nil {
				return nil, err
			}
		}
		// A step at a time would read the clock and the window for each; games that come meanwhile
		// wait for a few.
		all := r.stepsDue(0, len(x.games), n)
		steps := min(16, all-update.Steps)
		if steps > 0 && stage != run.StageUpdate {
			stage = run.StageUpdate
			r.enter(stage, 0)
		}
		for range steps {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			share := r.progressAt(float64(iteration) + float64(update.Steps)/float64(all))
			known := all
			if order == learn.Drawn {
				done := float64(iteration) + float64(len(x.games))/float64(n)
				share, known = r.progressAfter(done, float64(r.state.Evaluations+r.asked)), 0
			}
			if err := update.Step(share, known); err != nil {
				return nil, err
			}
		}
		if stage == run.StageUpdate && order == learn.Drawn {
			stage = run.StageSelfPlay
			r.enter(stage, n)
		}
	}
	if update.Steps == 0 && order == learn.Permuted {
		return nil,
			fmt.Errorf("update of iteration %d: the replay window holds no position to learn from",
				iteration)
	}
	if r.source != nil {
		r.state.Asynchronous = &AsynchronousState{Streams: r.source.begun()}
	}
	x.Result, err = update.End(ctx)
	return x, err
}

// take returns games of the iteration, at most n, in order of number: some that are ready in an
// asynchronous cycle, if wait is set at least one, otherwise all.
func (r *runner) take(
	ctx context.Context, x *learned, n int, wait bool,
) (list []*record.Game, err error) {
	began, machine := r.now(), time.Now()
	switch {
	case r.source != nil:
		list, err = r.source.take(n, wait)
	case r.pipeline != nil:
		list, err = r.pipeline.take()
	default:
		list, err = r.selfPlay(ctx, r.state.Iteration, r.playing)
	}
	waited := r.now().Sub(began)
	x.played += waited
	x.waited += time.Since(machine)
	r.metrics.WaitedForGames.Add(waited.Seconds())
	return list, err
}

// enterWindow adds games of the iteration to the window.
func (r *runner) enterWindow(ctx context.Context, x *learned, list []*record.Game) error {
	if len(list) == 0 {
		return nil
	}
	for _, g := range list {
		r.asked += g.Evaluations
		x.lag.add(g, r.updater.Trainer.Steps())
	}
	if r.source == nil {
		r.enter(run.StageReplay, len(list))
	}
	r.updater.Window.SetCapacity(r.plan.Config.Replay.Window(int(list[len(list)-1].Number) + 1))
	entered, err := r.updater.Add(ctx, list)
	if err != nil {
		return fmt.Errorf("iteration %d: %w", r.state.Iteration, err)
	}
	x.games = append(x.games, list...)
	x.entered += entered
	r.metrics.NewPositions.Add(float64(entered))
	return nil
}

// stepsDue returns the number of steps to be made after some of the n games of an iteration, when
// some are made.
func (r *runner) stepsDue(made, games, n int) int {
	samples := len(r.updater.Window.Samples(false))
	if samples == 0 {
		return 0
	}
	epochs, most := r.plan.epochs(r.state.Iteration)
	steps := learn.Steps(epochs, most, samples, r.plan.Train.Batch)
	return max(0, int(int64(steps)*int64(games)/int64(n))-made)
}

// lagMean is the mean number of training steps between the networks of decisions and the newest
// network.
type lagMean struct{ sum, n float64 }

// add adds the decisions of a game, which is learned from when the newest network has a number of
// steps.
func (l *lagMean) add(g *record.Game, steps int) {
	for ply := range g.Moves {
		m := &g.Moves[ply]
		if m.Mover >= 0 && len(m.Value) > 0 && g.Seats[m.Mover].Kind == record.Network {
			l.sum += float64(steps) - float64(g.Step())
			l.n++
		}
	}
}

func (l *lagMean) mean() float64 { return l.sum / max(1, l.n) }
