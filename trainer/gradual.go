package trainer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"tengen/internal/random"
	"tengen/replay/record"
)

// gradual is an update whose steps are made while games enter the window.
type gradual struct {
	u         *updater
	iteration int
	before    snapshot
	rng       *rand.Rand
	steps     int // made, or passed over since the update is dropped
	sum       lossMean
	lag       lagMean
	waited    time.Duration // for games
	dropped   error         // a number that is not finite
}

// begin begins an update of a continuous cycle.
func (u *updater) begin(iteration int) (*gradual, error) {
	before, err := u.snapshot()
	if err == nil {
		err = u.setMagnet()
	}
	if err != nil {
		return nil, fmt.Errorf("update of iteration %d: %w", iteration, err)
	}
	return &gradual{u: u, iteration: iteration, before: before, rng: random.New(u.plan.Config.Seed, random.Replay, uint64(iteration))}, nil
}

// draws yields numbers below n, uniformly.
type draws struct {
	rng *rand.Rand
	n   int
}

func (d *draws) next() int { return d.rng.IntN(d.n) }

// step makes a training step on samples that are drawn uniformly from the window. progress is the share of the run
// that is done. If a number becomes NaN or infinite, the update is dropped: this step and those that follow
// change nothing.
func (g *gradual) step(progress float64) error {
	g.steps++
	if g.dropped != nil {
		return nil
	}
	u := g.u
	fail := func(err error) error {
		if bad := asNonFinite(err); bad != nil {
			g.dropped = bad
			return nil
		}
		return fmt.Errorf("update of iteration %d, step %d: %w", g.iteration, g.steps-1, err)
	}
	u.setProgress(progress)
	began := time.Now() // measured for onStep; no result depends on it
	samples := u.window.Samples(false)
	if err := u.fill(samples, &draws{g.rng, len(samples)}, g.rng); err != nil {
		return fail(err)
	}
	waited := time.Since(began)
	losses, err := u.trainer.Step(u.batch)
	if err != nil {
		return fail(err)
	}
	g.sum.add(losses)
	if u.onStep != nil {
		u.onStep(g.steps, g.steps, waited)
	}
	return nil
}

// end returns the result of the update. Without a step the network stays as it was.
func (g *gradual) end(ctx context.Context) (*updateResult, error) {
	u := g.u
	if g.dropped != nil {
		return u.undo(g.before, g.iteration, g.dropped)
	}
	result := &updateResult{samples: g.steps * u.plan.Train.Batch, steps: g.steps}
	err := u.finish(result)
	if err != nil {
		return nil, err
	}
	if g.steps == 0 {
		return result, nil
	}
	result.losses = g.sum.mean()
	if result.heldOut, err = u.heldOut(ctx, g.iteration); err == nil {
		err = u.checkFinite(result)
	}
	if bad := asNonFinite(err); bad != nil {
		return u.undo(g.before, g.iteration, bad)
	}
	return result, err
}

// lagMean is the mean number of training steps between the networks of decisions and the newest network.
type lagMean struct{ sum, n float64 }

// add adds the decisions of a game, which is learned from when the newest network has a number of steps.
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
