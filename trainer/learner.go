package trainer

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"tengen/configs"
	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/train"
	"tengen/replay"
)

// learner owns the replay window and the training graph. It runs in a goroutine
// of its own: games go in, weights come out.
type learner struct {
	plan     *Plan
	window   *replay.Window
	encoders []*replay.Encoder // one a goroutine
	trainer  train.Trainer
	batch    *train.Batch
	picks    []pick // the batch's
	in       chan update
	out      chan updated
	ended    chan struct{} // closed by run
	// onStep, if not nil, is told of each step of an update, and for how long its
	// batch was waited for.
	onStep func(done, all int, waited time.Duration)
}

// update asks for one update.
type update struct {
	iteration int
	progress  func(iterations float64) float64 // the share of the run that is over after so many iterations
	passes    float64                          // over the window
	maxSteps  int                              // 0: no cap
}

// updated is what came of it.
type updated struct {
	weights nn.Network // for self-play and evaluation
	losses  nn.Losses
	heldOut *nn.Losses
	samples int   // learned from
	dropped error // why the update was undone: a number that is not finite
	err     error
}

func newLearner(p *Plan, params *nn.Params) (*learner, error) {
	trainer, err := p.device().NewTrainer(params, p.Train)
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	c := p.Config
	encoders := make([]*replay.Encoder, min(p.Workers, runtime.GOMAXPROCS(0)))
	for i := range encoders {
		encoders[i], err = replay.NewEncoder(p.Game, replay.EncoderConfig{
			Support: p.Spec.Support, Mix: p.valueMix(), Augment: c.Training.Symmetries,
		})
		if err != nil {
			return nil, fmt.Errorf("training: %w", err)
		}
	}
	window, err := replay.NewWindow(p.Game, replay.WindowConfig{
		Capacity: c.Replay.Games, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
		Trees: p.Descends() && c.Descent.Targets == configs.TargetsTree,
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	l := &learner{
		plan: p, trainer: trainer, encoders: encoders, window: window,
		batch: train.NewBatch(p.Spec, p.Train.Batch),
		in:    make(chan update), out: make(chan updated), ended: make(chan struct{}),
	}
	go l.run()
	return l, nil
}

// valueMix is the share of the search's value in the targets of positions played.
func (p *Plan) valueMix() float32 {
	switch c := p.Config; {
	case !p.Descends():
		return float32(c.Training.ValueMix)
	case c.Descent.Targets == configs.TargetsRoot:
		return 1
	}
	return 0
}

// run serves updates until in is closed.
func (l *learner) run() {
	defer close(l.ended)
	for u := range l.in {
		l.out <- l.update(u)
	}
}

// close ends the goroutine and gives back what the trainer holds on a device.
func (l *learner) close() {
	close(l.in)
	<-l.ended
	train.Close(l.trainer)
}

// do asks for an update and waits for it: the cycle is synchronous.
func (l *learner) do(u update) updated {
	l.in <- u
	return <-l.out
}

// weights are what self-play and evaluation use: the averaged weights where
// there are any.
func (l *learner) weights() (nn.Network, error) {
	averaged, err := l.trainer.Averaged()
	if err != nil {
		return nil, err
	}
	return l.plan.Load(averaged)
}

// update learns, or, where numbers go bad, leaves everything as it was.
func (l *learner) update(u update) updated {
	before, err := l.remember()
	if err != nil {
		return updated{err: fmt.Errorf("update of iteration %d: %w", u.iteration, err)}
	}
	got := l.learn(u)
	if got.err == nil {
		got.err = l.sound(&got)
	}
	bad := asBadNumber(got.err)
	if bad == nil {
		return got
	}
	if err := l.restore(before); err != nil {
		return updated{err: fmt.Errorf("go back to before the update of iteration %d: %w", u.iteration, err)}
	}
	weights, err := l.weights()
	return updated{weights: weights, dropped: bad, err: err}
}

func (l *learner) learn(u update) updated {
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
		began := time.Now() // for those who watch: no result depends on it
		if err := l.fill(samples, &order, rng); err != nil {
			return updated{err: err}
		}
		waited := time.Since(began)
		if u.progress != nil {
			l.trainer.SetProgress(u.progress(float64(u.iteration) + float64(step)/float64(steps)))
		}
		got, err := l.trainer.Step(l.batch)
		if err != nil {
			return updated{err: fmt.Errorf("update of iteration %d, step %d: %w", u.iteration, step, err)}
		}
		sum.add(got)
		if l.onStep != nil {
			l.onStep(step+1, steps, waited)
		}
	}
	held, err := l.heldOut(u.iteration)
	if err != nil {
		return updated{err: err}
	}
	weights, err := l.weights()
	return updated{weights: weights, losses: sum.mean(), heldOut: held, samples: steps * batch, err: err}
}

// maxHeldOutBatches bounds the work spent on held-out losses.
const maxHeldOutBatches = 8

// heldOut measures the losses on games that are never learned from; nil where
// they do not fill a batch.
func (l *learner) heldOut(iteration int) (*nn.Losses, error) {
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
		if err := l.fill(samples, &order, nil); err != nil {
			return nil, err
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

// pick is a sample and the symmetry under which it is shown.
type pick struct {
	sample   replay.Sample
	symmetry int
}

// fill chooses a batch, in order, under symmetries drawn from rng, or as the
// positions were played where rng is nil, and encodes it on all workers.
func (l *learner) fill(samples []replay.Sample, order *permutation, rng *rand.Rand) error {
	l.picks = l.picks[:0]
	for range l.plan.Train.Batch {
		p := pick{sample: samples[order.next()]}
		if rng != nil {
			p.symmetry = rng.IntN(l.encoders[0].Symmetries())
		}
		l.picks = append(l.picks, p)
	}
	errs := make([]error, len(l.encoders))
	var group sync.WaitGroup
	for w, encoder := range l.encoders {
		group.Go(func() {
			var unused float32 // the policy weight of a network without a policy
			for row := w; row < len(l.picks) && errs[w] == nil; row += len(l.encoders) {
				errs[w] = l.encode(encoder, row, &unused)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

// encode writes a pick to its row of the batch.
func (l *learner) encode(e *replay.Encoder, row int, unused *float32) error {
	p := &l.picks[row]
	b, s := l.batch, &l.plan.Spec
	observation := l.plan.Game.Planes().Size()
	value := s.Players * s.Outputs()
	policy, weight := b.Policy, unused
	if len(policy) > 0 {
		policy, weight = policy[row*s.Actions:(row+1)*s.Actions], &b.PolicyWeight[row]
	}
	return e.Row(p.sample, p.symmetry, b.Observations[row*observation:(row+1)*observation], policy,
		weight, b.Value[row*value:(row+1)*value])
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
