package trainer

import (
	"context"
	"math"
	"time"

	"tengen/configs"
	"tengen/nn/train"
	"tengen/trainer/evaluation"
	"tengen/trainer/learn"
)

// rates are the times that a game and a training step take: halves of what they took in the last
// iteration, and of what was known before.
type rates struct {
	game, step float64 // seconds; 0 while unknown
}

// note takes the games and the steps of an iteration, and the seconds that the run waited for them.
func (r *rates) note(games int, play float64, steps int, update float64) {
	for _, x := range []struct {
		to   *float64
		n    int
		took float64
	}{{&r.game, games, play}, {&r.step, steps, update}} {
		switch each := x.took / float64(max(1, x.n)); {
		case x.n == 0:
		case *x.to == 0:
			*x.to = each
		default:
			*x.to = (*x.to + each) / 2
		}
	}
}

// remaining estimates the seconds of the iterations from one on, the first of which begins after a
// number of games: of their games, and of the steps that the window, which may grow, will have
// then. Each game has a number of positions in the window.
func (p *Plan) remaining(iteration, games int, positions float64, r rates) float64 {
	c := p.Config
	left := c.Training.Iterations - iteration
	if left <= 0 {
		return 0
	}
	// The first iteration is unlike the others, of which each has as many games as the last.
	first, each := p.gamesOf(iteration), p.gamesOf(iteration+1)
	played := first + (left-1)*each
	steps := func(k int) float64 { // of the k-th of them
		played := games + first + k*each
		epochs, most := p.epochs(iteration + k)
		held := positions * float64(min(played, c.Replay.Window(played)))
		return float64(learn.Steps(epochs, most, int(held), c.Training.Batch))
	}
	return float64(played)*r.game + (steps(0)+sumMonotone(steps, 1, left))*r.step
}

// closeValues is the ratio of values that sumMonotone takes for points of a straight line.
const closeValues = 1 + 1.0/128

// sumMonotone returns the sum of f(k) for k from from to to-1, where f is positive and does not
// fall, from few of them. It is exact as far as neighbors are equal or differ by more than
// closeValues, and right within closeValues anywhere.
func sumMonotone(f func(k int) float64, from, to int) float64 {
	if from >= to {
		return 0
	}
	return f(from) + sumBetween(f, from, f(from), to-1, f(to-1))
}

// sumBetween returns the sum of f(k) for k after from up to to, where f has the values low and
// high.
func sumBetween(f func(k int) float64, from int, low float64, to int, high float64) float64 {
	n := float64(to - from)
	if to-from <= 1 || high <= low*closeValues {
		// a straight line from low, which does not count, to high, which does
		return n*(low+high)/2 + min(1, n)*(high-low)/2
	}
	middle := from + (to-from)/2
	between := f(middle)
	return sumBetween(f, from, low, middle, between) + sumBetween(f, middle, between, to, high)
}

// forecast estimates the time of the iterations to come, of evaluations between them as far as
// these have taken a share of the time, and of the last network's. It is 0 while a rate is unknown.
func (r *runner) forecast() time.Duration {
	w := r.updater.Window
	if r.rates.game == 0 || r.rates.step == 0 || w.Len() == 0 {
		return 0
	}
	positions := float64(w.Positions(false)) / float64(w.Len()) // of a game in the window
	left := r.plan.remaining(r.state.Iteration, r.state.Games, positions, r.rates)
	left *= float64(time.Second) / (1 - r.evaluations.Share())
	return time.Duration(left) + r.evaluations.Latest()
}

// left estimates the time until the first of the run's limits is reached, from the rates of
// this process.
func (r *runner) left() time.Duration {
	t := r.plan.Config.Training
	left := r.forecast()
	sooner := func(d time.Duration) {
		if left == 0 || d < left {
			left = d
		}
	}
	if t.Evaluations > 0 {
		if d := r.evaluationPace.left(float64(r.state.Evaluations), float64(t.Evaluations),
			r.now()); d > 0 {
			sooner(d)
		}
	}
	if limit := r.limit(); limit > 0 {
		sooner(max(0, limit-r.elapsed()))
	}
	return left
}

// early estimates the time left within a process's first iteration, when no rate is known from
// iterations.
type early struct {
	plan             *Plan
	iteration, games int           // before the iteration
	limit            time.Duration // after which the run ends; 0: none
	play             rates         // so far
	positions        float64       // of a game that is learned from
	done             int           // games of the iteration
	steps            int           // of its update
	updates          time.Time     // when the update began
}

// left returns the estimate, 0 while something is unknown.
func (e *early) left() time.Duration {
	if e.play.game == 0 || e.play.step == 0 || e.positions == 0 {
		return 0
	}
	left := e.plan.remaining(e.iteration, e.games, e.positions,
		e.play) - float64(e.done)*e.play.game - float64(e.steps)*e.play.step
	if e.plan.Config.Evaluation.Every > 0 {
		left /= 1 - evaluation.MaxShare
	}
	return max(time.Second, time.Duration(left*float64(time.Second)))
}

// foreseeAfter is how long a run plays before a training step is measured for the first estimate of
// the time left. An iteration that is shorter needs no such measurement.
const foreseeAfter = 8 * time.Second

// foresee has the monitor tell the time left within the first iteration of this process. The
// returned function ends it. Runs that learn from search trees are left out, since how many
// positions these have is not known before.
func (r *runner) foresee(ctx context.Context) (stop func()) {
	if r.plan.Config.Training.Evaluations > 0 || r.plan.Descends() &&
		r.plan.Config.Descent.Targets == configs.TargetsTree {
		return func() {}
	}
	plan := r.plan
	r.monitor.foresee(&early{
		plan: plan, iteration: r.state.Iteration, games: r.state.Games, limit: r.limit(),
	}, r.now)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
		case <-time.After(foreseeAfter):
			if !r.monitor.foresees() {
				return
			}
			// without it the time left is told later
			if step, err := plan.stepSeconds(ctx, time.Now); err == nil {
				r.monitor.measured(step)
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// measuredSteps is how many training steps are measured together.
const measuredSteps = 4

// stepSeconds measures a training step of a network beside the run's, while games are played. On
// the processor these have about half of the machine, so that a step alone takes half the time. On
// a device with two steps under way, as in an update, it is the time from the end of one to the end
// of the next. If ctx ends it ends after the steps at hand, since the end of the run waits for it.
func (p *Plan) stepSeconds(ctx context.Context, now func() time.Time) (float64, error) {
	t, err := p.device().NewTrainer(p.NewParams(), p.Train)
	if err != nil {
		return 0, err
	}
	defer train.Close(t)
	rows, together := train.NewBatch(p.Spec, p.Train.Batch), 1
	step := func() error { _, err := t.Step(rows); return err }
	if a, ok := t.(train.Async); ok {
		start := func() error {
			b := a.NewBatch()
			b.Set(rows)
			return a.Start(b)
		}
		if err := start(); err != nil {
			return 0, err
		}
		step = func() error {
			if err := start(); err != nil {
				return err
			}
			_, err := a.Wait()
			return err
		}
		together = measuredSteps
	}
	least := math.Inf(1)
	for turn := range 3 { // the first makes what the others use
		began, n := now(), together
		if turn == 0 {
			n = 1
		}
		for range n {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := step(); err != nil {
				return 0, err
			}
		}
		least = min(least, now().Sub(began).Seconds()/float64(n))
	}
	if p.device().Rows() == 0 {
		least /= 2
	}
	return least, nil
}

// pace estimates how long a run will take. The first iteration of a process is left out:
// in a new run, UCT plays games alone in it.
type pace struct {
	began time.Time // when the second iteration of this process began
	first float64   // what was done then
}

// left estimates the time until all is done, called at the end of an iteration with what is done
// then, in iterations or evaluations. It returns 0 while nothing is known.
func (p *pace) left(done, all float64, now time.Time) time.Duration {
	if p.began.IsZero() {
		p.began, p.first = now, done
		return 0
	}
	if done <= p.first {
		return 0
	}
	return time.Duration(float64(now.Sub(p.began)) / (done - p.first) * max(0, all-done))
}
