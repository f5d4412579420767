package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/train"
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
	next      *train.Batch // encoded beside a step; nil: none
	encoded   chan error   // what its encoding ended with
	begun     int          // steps of train.Async that were not waited for
	sum       lossMean
	waited    time.Duration // by the last step, for its batch
	dropped   error         // a number that is not finite
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
// infinite, the update is dropped: this step and those that follow change nothing. On a device the
// step is under way when Step returns, and the one before it has ended.
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
	b, err := g.fill()
	if err == nil {
		err = u.attract(b)
	}
	if err != nil {
		u.give(b)
		return err
	}
	g.waited = time.Since(began)
	copy(u.checked, b.Observations)
	if u.o.Backend.Rows() > 0 && g.order == Permuted && more {
		g.next, g.encoded = u.take(), make(chan error, 1)
		go func(b *train.Batch, ended chan<- error) {
			ended <- g.encode(b)
		}(g.next, g.encoded)
	}
	if err := g.train(b); err != nil {
		g.wait()
		return err
	}
	return nil
}

// train makes a step on a batch. Where steps can be under way, it begins this one and waits for the
// one before, so that the device always has one.
func (g *Update) train(b *train.Batch) error {
	t, ok := g.u.Trainer.(train.Async)
	if !ok {
		losses, err := g.u.Trainer.Step(b)
		g.u.give(b)
		if err == nil {
			g.sum.add(losses)
		}
		return err
	}
	if err := t.Start(b); err != nil {
		g.u.give(b)
		return err
	}
	if g.begun++; g.begun == 1 {
		return nil
	}
	return g.collect(t)
}

// collect waits for the first of the steps under way.
func (g *Update) collect(t train.Async) error {
	g.begun--
	losses, err := t.Wait()
	if err != nil {
		g.begun = 0
		return err
	}
	g.sum.add(losses)
	return nil
}

// finishSteps waits for the steps under way.
func (g *Update) finishSteps() error {
	for g.begun > 0 {
		if err := g.collect(g.u.Trainer.(train.Async)); err != nil {
			return err
		}
	}
	return nil
}

// wait waits for the encoding of the next batch, if it is under way.
func (g *Update) wait() {
	if g.next != nil {
		<-g.encoded
		g.u.give(g.next)
		g.next = nil
	}
}

// fill encodes the batch of a step, or takes the one that was encoded during the step before. With
// an error too the batch is the caller's.
func (g *Update) fill() (*train.Batch, error) {
	u := g.u
	if b := g.next; b != nil {
		g.next = nil
		return b, <-g.encoded
	}
	b, samples := u.take(), u.Window.Positions(false)
	if samples == 0 {
		return b, errors.New("the replay window holds no position to learn from")
	}
	if g.order == Drawn {
		return b, u.encodeBatch(b, false, &draws{g.rng, samples}, g.rng)
	}
	if g.through == nil {
		g.through = &permutation{rng: g.rng, n: samples}
	}
	return b, g.encode(b)
}

// encode encodes the next batch of a permuted update.
func (g *Update) encode(b *train.Batch) error {
	return g.u.encodeBatch(b, false, g.through, g.rng)
}

// End ends the update. Without a step the network stays as it was. After a failed step the updater
// is of no more use: the update is made again from the last checkpoint.
func (g *Update) End(ctx context.Context) (*Result, error) {
	g.wait()
	u := g.u
	if err := g.finishSteps(); err != nil {
		bad := asNonFinite(err)
		if bad == nil {
			return nil, fmt.Errorf("update of iteration %d: %w", g.iteration, err)
		}
		g.dropped = bad
	}
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
		_ = g.finishSteps() // nobody asks what became of them
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
	samples := u.Window.Positions(true)
	batches := min(samples/u.o.Train.Batch, maxHeldOutBatches)
	if batches == 0 {
		return nil, nil
	}
	rng := random.New(u.o.Seed, random.Replay, uint64(iteration), 1)
	order := permutation{rng: rng, n: samples}
	var sum lossMean
	b := u.take()
	defer u.give(b)
	for range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := u.encodeBatch(b, true, &order, nil); err != nil {
			return nil, err
		}
		if err := u.attract(b); err != nil {
			return nil, err
		}
		got, err := u.Trainer.Losses(b)
		if err != nil {
			return nil, fmt.Errorf("held-out losses of iteration %d: %w", iteration, err)
		}
		sum.add(got)
	}
	mean := sum.mean()
	return &mean, nil
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
