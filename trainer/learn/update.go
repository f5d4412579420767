package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/replay/window"
)

// Order is how an update chooses its samples.
type Order int

// The orders.
const (
	// Permuted goes through the samples that the window holds at the first step in random order,
	// again and again, each time in another. The window must not change until the update's end.
	Permuted Order = iota
	// Drawn draws each sample uniformly from what the window holds at its step.
	Drawn
)

// Update is an update under way.
type Update struct {
	// Steps is the number of steps made, or passed over since the update is dropped.
	Steps int

	u         *Updater
	iteration int
	order     Order
	before    Snapshot
	rng       *rand.Rand
	through   *permutation // nil before the first step of a permuted update
	// what the encoding of the next batch ended with; nil if none is under way
	next    chan error
	sum     lossMean
	waited  time.Duration // by the last step, for its batch
	dropped error         // a number that is not finite
}

// Result is the result of an update.
type Result struct {
	Weights nn.Network // for evaluation and, unless Options.Newest is set, self-play
	Playing nn.Network // for self-play
	Losses  nn.Losses  // mean over the steps
	HeldOut *nn.Losses // nil without enough held-out games
	Samples int        // trained on
	Steps   int
	Dropped error // why the update was undone: a number that is not finite; nil if it was not
}

// Begin begins the update of an iteration. What it draws depends on the run's seed and the
// iteration.
func (u *Updater) Begin(iteration int, order Order) (*Update, error) {
	before, err := u.Snapshot()
	if err != nil {
		return nil, fmt.Errorf("update of iteration %d: %w", iteration, err)
	}
	rng := random.New(u.o.Seed, random.Replay, uint64(iteration))
	return &Update{u: u, iteration: iteration, order: order, before: before, rng: rng}, nil
}

// Step makes a training step. progress is the share of the run that is done, 0 to 1; all is the
// number of steps that the update will have, as far as it is known. If a number becomes NaN or
// infinite, the update is dropped: this step and those that follow change nothing.
func (g *Update) Step(progress float64, all int) error {
	g.Steps++
	if g.dropped != nil {
		return nil
	}
	var err error
	if g.Steps == 1 { // by then there are games, and nothing has changed since Begin
		err = g.u.setMagnet()
	}
	if err == nil {
		err = g.step(progress, g.Steps < all)
	}
	if bad := asNonFinite(err); bad != nil {
		g.dropped = bad
		return nil
	}
	if err != nil {
		return fmt.Errorf("update of iteration %d, step %d: %w", g.iteration, g.Steps-1, err)
	}
	if g.u.OnStep != nil {
		g.u.OnStep(g.Steps, max(g.Steps, all), g.waited)
	}
	return nil
}

// step makes a step. more says that another one follows, whose batch a device can have encoded
// meanwhile.
func (g *Update) step(progress float64, more bool) error {
	u := g.u
	u.setProgress(progress)
	began := time.Now() // measured for OnStep; no result depends on it
	if err := g.fill(); err != nil {
		return err
	}
	if err := u.attract(); err != nil {
		return err
	}
	g.waited = time.Since(began)
	if u.spare != nil && g.order == Permuted && more {
		g.next = make(chan error, 1)
		go func() { g.next <- g.encode() }()
	}
	losses, err := u.Trainer.Step(u.batch)
	if err != nil {
		g.wait()
		return err
	}
	g.sum.add(losses)
	return nil
}

// wait waits for the encoding of the next batch, if it is under way.
func (g *Update) wait() {
	if g.next != nil {
		<-g.next
		g.next = nil
	}
}

// fill encodes the batch of a step, or takes the one that was encoded during the step before.
func (g *Update) fill() error {
	u := g.u
	if g.next != nil {
		err := <-g.next
		g.next = nil
		u.batch, u.spare = u.spare, u.batch
		return err
	}
	samples := u.Window.Samples(false)
	if len(samples) == 0 {
		return errors.New("the replay window holds no position to learn from")
	}
	if g.order == Drawn {
		return u.encodeBatch(u.batch, samples, &draws{g.rng, len(samples)}, g.rng)
	}
	if g.through == nil {
		g.through = &permutation{rng: g.rng, n: len(samples)}
	}
	return u.encodeBatch(u.batch, samples, g.through, g.rng)
}

// encode encodes the next batch beside a step.
func (g *Update) encode() error {
	return g.u.encodeBatch(g.u.spare, g.u.Window.Samples(false), g.through, g.rng)
}

// End ends the update. Without a step the network stays as it was. After a failed step the updater
// is of no more use: the update is made again from the last checkpoint.
func (g *Update) End(ctx context.Context) (*Result, error) {
	g.wait()
	u := g.u
	if g.dropped != nil {
		return g.undo(g.dropped)
	}
	result := &Result{Samples: g.Steps * u.o.Train.Batch, Steps: g.Steps}
	if err := u.finish(result); err != nil || g.Steps == 0 {
		return result, err
	}
	result.Losses = g.sum.mean()
	var err error
	if result.HeldOut, err = u.heldOut(ctx, g.iteration); err == nil {
		err = u.checkFinite(result)
	}
	if bad := asNonFinite(err); bad != nil {
		return g.undo(bad)
	}
	return result, err
}

// Abandon ends an update of which nothing more is wanted, if it is not nil.
func (g *Update) Abandon() {
	if g != nil {
		g.wait()
	}
}

// Through makes a whole update of a number of steps, on samples in the order [Permuted]. progress
// returns the share of the run that is done when a share of the steps is.
func (u *Updater) Through(
	ctx context.Context, iteration, steps int, progress func(share float64) float64,
) (*Result, error) {
	g, err := u.Begin(iteration, Permuted)
	if err != nil {
		return nil, err
	}
	defer g.Abandon()
	for g.Steps < steps && g.dropped == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := g.Step(progress(float64(g.Steps)/float64(steps)), steps); err != nil {
			return nil, err
		}
	}
	return g.End(ctx)
}

// Steps returns the number of steps of an update that goes a number of times through samples, in
// batches of a size; at least 1, and at most most, if that is not 0.
func Steps(epochs float64, most, samples, batch int) int {
	steps := max(1, int(epochs*float64(samples)/float64(batch)))
	if most > 0 {
		steps = min(steps, most)
	}
	return steps
}

// undo restores what the update has changed.
func (g *Update) undo(why error) (*Result, error) {
	if err := g.u.Restore(g.before); err != nil {
		return nil, fmt.Errorf("undo the update of iteration %d: %w", g.iteration, err)
	}
	result := &Result{Dropped: why}
	return result, g.u.finish(result)
}

// finish sets the networks of a result.
func (u *Updater) finish(r *Result) (err error) {
	if r.Weights, err = u.Weights(); err == nil {
		r.Playing, err = u.Playing(r.Weights)
	}
	return err
}

// maxHeldOutBatches bounds the work for held-out losses.
const maxHeldOutBatches = 8

// heldOut returns the losses on games that are never trained on, nil if they do not fill
// a batch.
func (u *Updater) heldOut(ctx context.Context, iteration int) (*nn.Losses, error) {
	samples := u.Window.Samples(true)
	batches := min(len(samples)/u.o.Train.Batch, maxHeldOutBatches)
	if batches == 0 {
		return nil, nil
	}
	rng := random.New(u.o.Seed, random.Replay, uint64(iteration), 1)
	order := permutation{rng: rng, n: len(samples)}
	var sum lossMean
	for range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := u.encodeBatch(u.batch, samples, &order, nil); err != nil {
			return nil, err
		}
		if err := u.attract(); err != nil {
			return nil, err
		}
		got, err := u.Trainer.Losses(u.batch)
		if err != nil {
			return nil, fmt.Errorf("held-out losses of iteration %d: %w", iteration, err)
		}
		sum.add(got)
	}
	mean := sum.mean()
	return &mean, nil
}

// permutation yields 0 to n-1 in random order, again and again, each time in another.
type permutation struct {
	rng   *rand.Rand
	n     int
	order []int
	i     int
}

func (p *permutation) next() int {
	if p.i == len(p.order) {
		p.order, p.i = p.rng.Perm(p.n), 0
	}
	p.i++
	return p.order[p.i-1]
}

// draws yields numbers below n, uniformly.
type draws struct {
	rng *rand.Rand
	n   int
}

func (d *draws) next() int { return d.rng.IntN(d.n) }

// pick is a sample and the symmetry that is applied to it.
type pick struct {
	sample   window.Sample
	symmetry int
}
