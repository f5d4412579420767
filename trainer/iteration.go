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

// iteration is an iteration of a run under way.
type iteration struct {
	*learn.Result // once the update has ended

	number   int
	wanted   int // games
	games    []*record.Game
	entered  int           // positions that entered the window
	lag      lagMean       // of the games
	played   time.Duration // for which the run waited for games
	waited   time.Duration // the same by the machine's clock
	update   *learn.Update
	progress *run.Progress // once the update has ended

	// as they were at its beginning
	began    time.Time
	lookups  lookups
	searches searches
}

// iterate runs one iteration: it takes games and makes the training steps that are due for them,
// in an asynchronous cycle as games come, saves a checkpoint, and reports.
func (r *runner) iterate(ctx context.Context) error {
	x, err := r.begin()
	if err != nil {
		return err
	}
	defer x.update.Abandon()
	defer r.monitor.endPlay()
	for !r.complete(x) {
		if err := r.takeGames(ctx, x); err != nil {
			return err
		}
		if err := r.makeSteps(ctx, x); err != nil {
			return err
		}
	}
	if err := r.endUpdate(ctx, x); err != nil {
		return err
	}
	if err := r.checkpoint(ctx); err != nil {
		return err
	}
	r.weights, r.playing = x.Weights, x.Playing
	if err := r.source.follow(r.playing); err != nil {
		return err
	}
	r.report(x)
	return nil
}

// begin begins an iteration.
func (r *runner) begin() (x *iteration, err error) {
	x = &iteration{
		number: r.state.Iteration, wanted: r.plan.gamesOf(r.state.Iteration), began: r.now(),
		lookups:  lookupsOf(&r.monitor.Counters),
		searches: searchesOf(&r.monitor.Counters),
	}
	r.asked = 0
	order := learn.Permuted
	if r.asynchronous() {
		order = learn.Drawn
	}
	if x.update, err = r.updater.Begin(x.number, order); err != nil {
		return nil, err
	}
	r.updater.Trainer.SetScale(r.rateScale())
	r.enter(run.StageSelfPlay, x.wanted)
	r.monitor.beginPlay(min(r.source.there(), x.wanted), r.now)
	return x, nil
}

// complete reports whether an iteration has its games, and has made the steps that are due for
// them.
func (r *runner) complete(x *iteration) bool {
	return len(x.games) == x.wanted && r.stepsDue(x) == x.update.Steps
}

// takeGames takes games that an iteration lacks into the window: in an asynchronous cycle those
// that are ready, at least one if no step can be made without it, otherwise all.
func (r *runner) takeGames(ctx context.Context, x *iteration) error {
	missing := x.wanted - len(x.games)
	if missing == 0 {
		return nil
	}
	least := missing
	if r.asynchronous() {
		least = 0
		if r.stepsDue(x) == x.update.Steps {
			least = 1
		}
	}
	began, machine := r.now(), time.Now()
	list, err := r.source.take(ctx, least, missing)
	waited := r.now().Sub(began)
	x.played += waited
	x.waited += time.Since(machine)
	r.metrics.WaitedForGames.Add(waited.Seconds())
	if err != nil || len(list) == 0 {
		return err
	}
	if !r.asynchronous() {
		r.monitor.endPlay()
		r.enter(run.StageReplay, len(list))
	}
	return r.enterWindow(ctx, x, list)
}

// enterWindow adds games of an iteration to the window.
func (r *runner) enterWindow(ctx context.Context, x *iteration, list []*record.Game) error {
	for _, g := range list {
		r.asked += g.Evaluations
		x.lag.add(g, r.updater.Trainer.Steps())
	}
	r.updater.Window.SetCapacity(r.plan.Config.Replay.Window(int(list[len(list)-1].Number) + 1))
	entered, err := r.updater.Add(ctx, list)
	if err != nil {
		return fmt.Errorf("iteration %d: %w", x.number, err)
	}
	x.games = append(x.games, list...)
	x.entered += entered
	r.metrics.NewPositions.Add(float64(entered))
	return nil
}

// stepsDue returns the number of steps of an iteration that are due for the games that it has: a
// share of an update's steps.
func (r *runner) stepsDue(x *iteration) int {
	samples := r.updater.Window.Positions(false)
	if samples == 0 {
		return x.update.Steps
	}
	epochs, most := r.plan.epochs(x.number)
	steps := learn.Steps(epochs, most, samples, r.plan.Train.Batch)
	return max(x.update.Steps, int(int64(steps)*int64(len(x.games))/int64(x.wanted)))
}

// makeSteps makes training steps that are due: in an asynchronous cycle a few, otherwise all.
func (r *runner) makeSteps(ctx context.Context, x *iteration) error {
	all := r.stepsDue(x)
	steps := all - x.update.Steps
	if steps == 0 {
		return nil
	}
	r.enter(run.StageUpdate, 0)
	if r.asynchronous() {
		// A step at a time would read the clock and the window for each; games that come meanwhile
		// wait for a few.
		steps = min(16, steps)
		defer r.enter(run.StageSelfPlay, x.wanted)
	}
	for range steps {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		share := r.progressAt(float64(x.number) + float64(x.update.Steps)/float64(all))
		known := all
		if r.asynchronous() {
			done := float64(x.number) + float64(len(x.games))/float64(x.wanted)
			share, known = r.progressAfter(done, float64(r.state.Evaluations+r.asked)), 0
		}
		if err := x.update.Step(share, known); err != nil {
			return err
		}
	}
	return nil
}

// endUpdate ends the update, and takes what the iteration has learned into the run's state.
func (r *runner) endUpdate(ctx context.Context, x *iteration) (err error) {
	if x.update.Steps == 0 && !r.asynchronous() {
		return fmt.Errorf("update of iteration %d: the replay window holds no position to learn from",
			x.number)
	}
	if r.asynchronous() {
		r.state.Asynchronous = &AsynchronousState{Streams: r.source.begun()}
	}
	if x.Result, err = x.update.End(ctx); err != nil {
		return err
	}
	if err := r.countDropped(x.Dropped); err != nil {
		return err
	}
	trained := r.now()
	epsilon := r.plan.Config.WarmStart.Epsilon(r.clock(x.number, r.state.Evaluations))
	r.state.Iteration++
	r.state.Games = int(x.games[len(x.games)-1].Number) + 1
	r.state.Evaluations += r.asked
	r.notePlateau(x.HeldOut)
	overfits := r.noteFit(&x.Losses, x.HeldOut)
	x.progress = r.progress(epsilon, x, trained)
	r.noteResignation(x.progress, x.games)
	r.noteSpeed(x)
	r.state.Events = r.eventsOf(x.progress, overfits)
	return nil
}

// maxDropped is the number of consecutive dropped updates that ends a run: another
// iteration will not cure the cause.
const maxDropped = 3

// countDropped reports a dropped update. It returns an error, which ends the run, for the
// last of maxDropped in a row: that iteration is not finished, its games are kept, and a
// resumed run repeats its update.
func (r *runner) countDropped(dropped error) error {
	if dropped == nil {
		r.state.DroppedNow = 0
		return nil
	}
	iteration := r.state.Iteration + 1
	r.state.Dropped++
	r.state.DroppedNow++
	r.metrics.BadUpdates.Inc()
	if r.state.DroppedNow < maxDropped {
		r.warn(fmt.Sprintf(
			"the update of iteration %d is dropped, and the network stays as it was: %v",
			iteration, dropped), iteration)
		return nil
	}
	return fmt.Errorf("the update of iteration %d failed as the %d before: %w; the network is that from before them, the games are kept; "+
		"lower training.learning_rate, which is %g, with --resume --set training.learning_rate=%g, or bound the gradient with training.grad_clip_norm",
		iteration, maxDropped-1, dropped, r.plan.Config.Training.LearningRate,
		r.plan.Config.Training.LearningRate/4)
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
	o.Encoder = window.EncoderConfig{
		Support: p.Spec.Support, Mix: p.valueMix(), Bootstrap: 1 - t.ValueLambda,
	}
	o.Window = window.Config{
		Capacity: c.Replay.Games, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
		Auxiliary:   t.LabelWeight > 0,
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
