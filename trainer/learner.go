package trainer

import (
	"fmt"
	"math/rand/v2"

	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/train"
	"tengen/replay"
)

// learner owns the replay window and the training graph. It runs in a goroutine
// of its own: games go in, weights come out.
type learner struct {
	plan    *Plan
	window  *replay.Window
	encoder *replay.Encoder
	trainer *train.Trainer
	batch   *train.Batch
	in      chan update
	out     chan updated
	onStep  func(done, all int)
}

// update asks for one update.
type update struct {
	iteration int
	passes    float64 // over the window
	maxSteps  int     // 0: no cap
}

// updated is what came of it.
type updated struct {
	weights *nn.Weights // for self-play and evaluation
	losses  train.Losses
	heldOut *train.Losses
	err     error
}

func newLearner(p *Plan, params *nn.Params) (*learner, error) {
	trainer, err := train.New(params, p.Train)
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	c := p.Config
	encoder, err := replay.NewEncoder(p.Game, replay.EncoderConfig{
		Support: p.Spec.Support, Mix: float32(c.Training.ValueMix), Augment: c.Training.Symmetries,
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	window, err := replay.NewWindow(p.Game, replay.WindowConfig{
		Capacity: c.Replay.Games, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	l := &learner{
		plan: p, trainer: trainer, encoder: encoder, window: window,
		batch: train.NewBatch(p.Spec, p.Train.Batch),
		in:    make(chan update), out: make(chan updated),
	}
	go l.run()
	return l, nil
}

// run serves updates until in is closed.
func (l *learner) run() {
	for u := range l.in {
		l.out <- l.update(u)
	}
}

func (l *learner) close() { close(l.in) }

// do asks for an update and waits for it: the cycle is synchronous.
func (l *learner) do(u update) updated {
	l.in <- u
	return <-l.out
}

// weights are what self-play and evaluation use: the averaged weights where
// there are any.
func (l *learner) weights() *nn.Weights { return nn.Fold(l.trainer.Averaged()) }

func (l *learner) update(u update) updated {
	samples := l.window.Samples(false)
	if len(samples) == 0 {
		return updated{err: fmt.Errorf("update of iteration %d: the replay window holds no position to learn from", u.iteration)}
	}
	rng := stream.New(l.plan.Config.Seed, stream.Replay, uint64(u.iteration))
	batch := l.plan.Train.Batch
	steps := max(1, int(u.passes*float64(len(samples))/float64(batch)))
	if u.maxSteps > 0 {
		steps = min(steps, u.maxSteps)
	}
	var sum losses
	order := permutation{rng: rng, n: len(samples)}
	for step := range steps {
		for row := range batch {
			if err := l.encode(row, samples[order.next()], rng); err != nil {
				return updated{err: err}
			}
		}
		progress := (float64(u.iteration) + float64(step)/float64(steps)) / float64(l.plan.Config.Training.Iterations)
		l.trainer.SetProgress(progress)
		got, err := l.trainer.Step(l.batch)
		if err != nil {
			return updated{err: fmt.Errorf("update of iteration %d, step %d: %w", u.iteration, step, err)}
		}
		sum.add(got)
		if l.onStep != nil {
			l.onStep(step+1, steps)
		}
	}
	held, err := l.heldOut(u.iteration)
	return updated{weights: l.weights(), losses: sum.mean(), heldOut: held, err: err}
}

// maxHeldOutBatches bounds the work spent on held-out losses.
const maxHeldOutBatches = 8

// heldOut measures the losses on games that are never learned from; nil where
// they do not fill a batch.
func (l *learner) heldOut(iteration int) (*train.Losses, error) {
	samples := l.window.Samples(true)
	batch := l.plan.Train.Batch
	batches := min(len(samples)/batch, maxHeldOutBatches)
	if batches == 0 {
		return nil, nil
	}
	rng := stream.New(l.plan.Config.Seed, stream.Replay, uint64(iteration), 1)
	order := permutation{rng: rng, n: len(samples)}
	var sum losses
	for range batches {
		for row := range batch {
			if err := l.encode(row, samples[order.next()], nil); err != nil {
				return nil, err
			}
		}
		got, err := l.trainer.Losses(l.batch)
		if err != nil {
			return nil, fmt.Errorf("held-out losses of iteration %d: %w", iteration, err)
		}
		sum.add(got)
	}
	mean := sum.mean()
	return &mean, nil
}

// encode writes a sample to a row of the batch, under a symmetry drawn from
// rng; as it was played where rng is nil.
func (l *learner) encode(row int, sample replay.Sample, rng *rand.Rand) error {
	symmetry := 0
	if rng != nil {
		symmetry = rng.IntN(l.encoder.Symmetries())
	}
	b, s := l.batch, &l.plan.Spec
	observation := l.plan.Game.Planes().Size()
	value := s.Players * s.Outputs()
	policy := b.Policy
	if len(policy) > 0 {
		policy = policy[row*s.Actions : (row+1)*s.Actions]
	}
	return l.encoder.Row(sample, symmetry, b.Observations[row*observation:(row+1)*observation], policy,
		&b.PolicyWeight[row], b.Value[row*value:(row+1)*value])
}

// permutation yields 0 to n-1 in random order, then in another, and so on.
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
