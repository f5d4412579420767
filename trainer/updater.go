package trainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"tengen/configs"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/train"
	"tengen/replay/record"
	"tengen/replay/window"
)

// updater trains the network: it holds the replay window, the training state and the
// buffers of a batch. It is used by one goroutine at a time.
type updater struct {
	plan     *Plan
	window   *window.Window
	encoders []*window.Encoder // each used by one goroutine
	trainer  train.Trainer
	batch    *train.Batch
	spare    *train.Batch // encoded while a device trains on batch; nil on the processor
	magnet   *magnet      // nil: none
	picks    []pick       // the rows of the batch
	// onStep, if not nil, is called after each training step of an update. waited is
	// the time that the step waited for its batch.
	onStep func(done, all int, waited time.Duration)
	// onEncoded, if not nil, is called when a batch is encoded.
	onEncoded func()
}

// updateOptions describe one update.
type updateOptions struct {
	iteration int
	progress  func(iterations float64) float64 // the share of the run that is done after a number of iterations; may be nil
	epochs    float64
	maxSteps  int     // 0: no limit
	scale     float64 // of the learning rate; 0: 1
}

// updateResult is the result of an update.
type updateResult struct {
	weights nn.Network // for evaluation and, unless training.playing is newest, self-play
	playing nn.Network // for self-play
	losses  nn.Losses  // mean over the steps
	heldOut *nn.Losses // nil without enough held-out games
	samples int        // trained on
	steps   int
	// Of a continuous cycle: the time that was waited for games, and how old their networks were.
	waited  time.Duration
	lag     lagMean
	dropped error // why the update was undone: a number that is not finite; nil if it was not
}

func newUpdater(p *Plan, params *nn.Params) (*updater, error) {
	config, goroutines := p.Train, min(p.Workers, runtime.GOMAXPROCS(0))
	if p.Play.Crew != nil {
		// Most games are played elsewhere: selfplay.workers says how much this process plays, and the others wait while it learns.
		config.Workers, goroutines = 0, runtime.GOMAXPROCS(0)
	}
	trainer, err := p.device().NewTrainer(params, config)
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	c := p.Config
	var labels *window.Labels
	if c.Training.LabelWeight > 0 {
		labels = window.NewLabels(p.Game)
	}
	encoders := make([]*window.Encoder, goroutines)
	for i := range encoders {
		encoders[i], err = window.NewEncoder(p.Game, window.EncoderConfig{
			Support: p.Spec.Support, Mix: p.valueMix(), Bootstrap: 1 - c.Training.ValueLambda,
			Labels: labels, Checked: true,
		})
		if err != nil {
			return nil, fmt.Errorf("training: %w", err)
		}
	}
	games, err := window.New(p.Game, window.Config{
		Labels:   labels,
		Capacity: c.Replay.Games, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
		Trees:       p.Descends() && c.Descent.Targets == configs.TargetsTree,
		Afterstates: c.Search.Afterstates,
		FullOnly:    !p.Descends() && c.Training.FastPositions == configs.FastNone,
	})
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	u := &updater{
		plan: p, trainer: trainer, encoders: encoders, window: games,
		batch: train.NewBatch(p.Spec, p.Train.Batch),
	}
	if p.device().Rows() > 0 {
		u.spare = train.NewBatch(p.Spec, p.Train.Batch)
	}
	return u, nil
}

// close releases what the trainer holds on a device.
func (u *updater) close() {
	train.Close(u.trainer)
	u.magnet.close()
}

// add adds the games of an iteration to the window. It returns the number of positions
// that entered, those of held-out games not counted.
func (u *updater) add(ctx context.Context, games []*record.Game) (positions int, err error) {
	before := u.window.Added(false)
	for _, g := range games {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := u.window.Add(g); err != nil {
			return 0, err
		}
	}
	return int(u.window.Added(false) - before), nil
}

// weights returns the network for evaluation and, unless training.playing is newest, for
// self-play: the averaged weights if the trainer keeps an average.
func (u *updater) weights() (nn.Network, error) {
	averaged, err := u.trainer.Averaged()
	if err != nil {
		return nil, err
	}
	return u.plan.Load(averaged)
}

// playing returns the network for self-play, given that for evaluation.
func (u *updater) playing(weights nn.Network) (nn.Network, error) {
	if u.plan.Config.Training.Playing != configs.PlayingNewest {
		return weights, nil
	}
	params, err := u.trainer.Params()
	if err != nil {
		return nil, err
	}
	return u.plan.Load(params)
}

// finish sets the networks of a result.
func (u *updater) finish(r *updateResult) (err error) {
	if r.weights, err = u.weights(); err == nil {
		r.playing, err = u.playing(r.weights)
	}
	return err
}

// snapshot is everything that an update changes.
type snapshot struct {
	params *nn.Params
	state  train.State
}

func (u *updater) snapshot() (snapshot, error) {
	params, err := u.trainer.Params()
	if err != nil {
		return snapshot{}, err
	}
	state, err := u.trainer.State()
	return snapshot{params, state}, err
}

// restore sets weights, average, solver and step count to those of a snapshot, to the bit.
func (u *updater) restore(to snapshot) error {
	trainer, err := u.plan.device().NewTrainer(to.params, u.plan.Train)
	if err != nil {
		return err
	}
	if err := trainer.SetState(to.state); err != nil {
		train.Close(trainer)
		return err
	}
	train.Close(u.trainer)
	u.trainer = trainer
	return nil
}

// update trains on the window. If a number becomes NaN or infinite, it undoes the update
// and sets updateResult.dropped. If ctx ends, update ends after the step at hand with the context's error, and the updater is
// of no more use: the update is made again from the last checkpoint.
func (u *updater) update(ctx context.Context, o updateOptions) (*updateResult, error) {
	before, err := u.snapshot()
	if err != nil {
		return nil, fmt.Errorf("update of iteration %d: %w", o.iteration, err)
	}
	result, err := u.train(ctx, o)
	if err == nil {
		err = u.checkFinite(result)
	}
	bad := asNonFinite(err)
	if bad == nil {
		return result, err
	}
	return u.undo(before, o.iteration, bad)
}

// undo restores what an update has changed.
func (u *updater) undo(before snapshot, iteration int, why error) (*updateResult, error) {
	if err := u.restore(before); err != nil {
		return nil, fmt.Errorf("undo the update of iteration %d: %w", iteration, err)
	}
	result := &updateResult{dropped: why}
	return result, u.finish(result)
}

func (u *updater) train(ctx context.Context, o updateOptions) (*updateResult, error) {
	samples := u.window.Samples(false)
	if len(samples) == 0 {
		return nil, fmt.Errorf("update of iteration %d: the replay window holds no position to learn from", o.iteration)
	}
	if err := u.setMagnet(); err != nil {
		return nil, fmt.Errorf("update of iteration %d: %w", o.iteration, err)
	}
	rng := random.New(u.plan.Config.Seed, random.Replay, uint64(o.iteration))
	batch := u.plan.Train.Batch
	steps := stepsOf(o.epochs, o.maxSteps, len(samples), batch)
	u.trainer.SetScale(cmp.Or(o.scale, 1))
	var sum lossMean
	order := permutation{rng: rng, n: len(samples)}
	next := make(chan error, 1) // what the encoding of spare ended with
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.progress != nil {
			u.setProgress(o.progress(float64(o.iteration) + float64(step)/float64(steps)))
		}
		began := time.Now() // measured for onStep; no result depends on it
		var err error
		if u.spare != nil && step > 0 {
			err = <-next
			u.batch, u.spare = u.spare, u.batch
		} else {
			err = u.encodeBatch(u.batch, samples, &order, rng)
		}
		if err == nil {
			err = u.attract()
		}
		if err != nil {
			return nil, err
		}
		waited := time.Since(began)
		beside := u.spare != nil && step+1 < steps && ctx.Err() == nil
		if beside {
			go func(b *train.Batch) { next <- u.encodeBatch(b, samples, &order, rng) }(u.spare)
		}
		losses, err := u.trainer.Step(u.batch)
		if err != nil {
			if beside {
				<-next
			}
			return nil, fmt.Errorf("update of iteration %d, step %d: %w", o.iteration, step, err)
		}
		sum.add(losses)
		if u.onStep != nil {
			u.onStep(step+1, steps, waited)
		}
	}
	held, err := u.heldOut(ctx, o.iteration)
	if err != nil {
		return nil, err
	}
	result := &updateResult{losses: sum.mean(), heldOut: held, samples: steps * batch, steps: steps}
	return result, u.finish(result)
}

// stepsOf returns the number of steps of an update that goes through a number of samples.
func stepsOf(epochs float64, most, samples, batch int) int {
	steps := max(1, int(epochs*float64(samples)/float64(batch)))
	if most > 0 {
		steps = min(steps, most)
	}
	return steps
}

// checkedRows is the number of positions that checkFinite evaluates.
const checkedRows = 8

// checkFinite returns a nonFiniteError if an update left a NaN or an infinity: in the
// weights, their average, the solver's state, the held-out losses, or in the folded
// network's evaluation of some positions of the last batch. Each step checks its own loss
// and gradient.
func (u *updater) checkFinite(got *updateResult) error {
	now, err := u.snapshot()
	if err != nil {
		return err
	}
	if err := nn.CheckFinite(append(now.params.Tensors, now.state.Tensors...)); err != nil {
		return &nonFiniteError{fmt.Sprintf("after step %d %v", u.trainer.Steps(), err)}
	}
	if h := got.heldOut; h != nil && !isFinite(h.Total) {
		return &nonFiniteError{fmt.Sprintf("after step %d the held-out loss is %g", u.trainer.Steps(), h.Total)}
	}
	evaluator := got.weights.NewEvaluator()
	defer nn.Close(evaluator)
	b := evaluator.NewBatch(checkedRows)
	b.N = min(checkedRows, u.plan.Train.Batch)
	copy(b.Observations, u.batch.Observations[:b.N*u.plan.Game.Planes().Size()])
	if err := evaluator.Evaluate(b); err != nil {
		return err
	}
	s := got.weights.Spec()
	if err := b.CheckFinite(s.Actions, s.Players, 0); err != nil {
		return &nonFiniteError{fmt.Sprintf("after step %d %v", u.trainer.Steps(), err)}
	}
	return nil
}

// maxHeldOutBatches bounds the work for held-out losses.
const maxHeldOutBatches = 8

// heldOut returns the losses on games that are never trained on, nil if they do not fill
// a batch.
func (u *updater) heldOut(ctx context.Context, iteration int) (*nn.Losses, error) {
	samples := u.window.Samples(true)
	batch := u.plan.Train.Batch
	batches := min(len(samples)/batch, maxHeldOutBatches)
	if batches == 0 {
		return nil, nil
	}
	rng := random.New(u.plan.Config.Seed, random.Replay, uint64(iteration), 1)
	order := permutation{rng: rng, n: len(samples)}
	var sum lossMean
	for range batches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := u.fill(samples, &order, nil); err != nil {
			return nil, err
		}
		got, err := u.trainer.Losses(u.batch)
		if err != nil {
			return nil, fmt.Errorf("held-out losses of iteration %d: %w", iteration, err)
		}
		sum.add(got)
	}
	mean := sum.mean()
	return &mean, nil
}

// pick is a sample and the symmetry that is applied to it.
type pick struct {
	sample   window.Sample
	symmetry int
}

// fill chooses a batch in the given order and encodes it on all workers. The symmetries
// are drawn from rng; if rng is nil, the positions stay as they were played.
func (u *updater) fill(samples []window.Sample, order interface{ next() int }, rng *rand.Rand) error {
	if err := u.encodeBatch(u.batch, samples, order, rng); err != nil {
		return err
	}
	return u.attract()
}

// attract pulls the policy targets of the batch towards the magnet, as the present progress says.
func (u *updater) attract() error {
	if u.magnet == nil {
		return nil
	}
	return u.magnet.attract(u.batch)
}

// encodeBatch is fill for a batch without the magnet.
func (u *updater) encodeBatch(b *train.Batch, samples []window.Sample, order interface{ next() int }, rng *rand.Rand) error {
	u.picks = u.picks[:0]
	for range u.plan.Train.Batch {
		p := pick{sample: samples[order.next()]}
		if rng != nil {
			p.symmetry = rng.IntN(u.encoders[0].Symmetries())
		}
		u.picks = append(u.picks, p)
	}
	errs := make([]error, len(u.encoders))
	var group sync.WaitGroup
	for w, encoder := range u.encoders {
		group.Go(func() {
			var unused float32 // the policy weight of a network without a policy
			for row := w; row < len(u.picks) && errs[w] == nil; row += len(u.encoders) {
				errs[w] = u.encode(b, encoder, row, &unused)
			}
		})
	}
	group.Wait()
	if u.onEncoded != nil {
		u.onEncoded()
	}
	return errors.Join(errs...)
}

// encode writes a pick to its row of the batch.
func (u *updater) encode(b *train.Batch, e *window.Encoder, row int, unused *float32) error {
	p, s := &u.picks[row], &u.plan.Spec
	observation := u.plan.Game.Planes().Size()
	value := s.Players * s.Outputs()
	policy, weight := b.Policy, unused
	if len(policy) > 0 {
		policy, weight = policy[row*s.Actions:(row+1)*s.Actions], &b.PolicyWeight[row]
	}
	if err := e.Row(p.sample, p.symmetry, b.Observations[row*observation:(row+1)*observation], policy,
		weight, b.Value[row*value:(row+1)*value]); err != nil {
		return err
	}
	return u.encodeAuxiliary(b, e, row)
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
