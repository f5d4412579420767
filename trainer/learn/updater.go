package learn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"tengen/game"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
	"tengen/replay/record"
	"tengen/replay/window"
)

// Options describe an updater. All fields are required but those that say otherwise.
type Options struct {
	Game    game.Game
	Spec    nn.Spec // of the network
	Seed    uint64  // of the run
	Train   train.Config
	Backend backend.Backend // trains
	Window  window.Config
	Encoder window.EncoderConfig
	// Goroutines is the number of goroutines that encode a batch, at least 1.
	Goroutines int
	// Load prepares weights for evaluation.
	Load func(*nn.Params) (nn.Network, error)
	// Newest says that games are played with the newest weights, not with their average.
	Newest bool
	// Magnet and UniformMagnet are the shares of the averaged weights' and of the uniform policy in
	// policy targets (configs.Training); 0: none.
	Magnet, UniformMagnet float64
}

// Updater trains the network. It is used by one goroutine at a time.
type Updater struct {
	// Window holds the games to learn from.
	Window *window.Window
	// Trainer holds the weights, their average, the solver and the number of steps.
	Trainer train.Trainer
	// OnStep, if not nil, is called after each training step with the steps that the update has
	// made, those that it will have, as far as they are known, and the time that the step waited
	// for its batch.
	OnStep func(done, all int, waited time.Duration)
	// OnEncoded, if not nil, is called when a batch is encoded.
	OnEncoded func()

	o        *Options
	encoders []*window.Encoder // each used by one goroutine
	batches  []*train.Batch    // that are not in use
	checked  []float32         // observations of the last batch, for checkFinite
	magnet   *magnet           // nil: none
	picks    []pick            // the rows of the batch
}

// New returns an updater that begins with the given weights and an empty window.
func New(o *Options, params *nn.Params) (*Updater, error) {
	trainer, err := o.Backend.NewTrainer(params, o.Train)
	if err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	u := &Updater{
		o: o, Trainer: trainer,
		checked: make([]float32, min(checkedRows, o.Train.Batch)*o.Spec.Planes*o.Spec.Cells()),
	}
	if u.Window, err = window.New(o.Game, o.Window); err != nil {
		return nil, fmt.Errorf("training: %w", err)
	}
	for range o.Goroutines {
		e, err := window.NewEncoder(u.Window, o.Encoder)
		if err != nil {
			return nil, fmt.Errorf("training: %w", err)
		}
		u.encoders = append(u.encoders, e)
	}
	return u, nil
}

// take returns a batch to encode, which is given back with give or given to Start.
func (u *Updater) take() *train.Batch {
	if n := len(u.batches); n > 0 {
		b := u.batches[n-1]
		u.batches = u.batches[:n-1]
		return b
	}
	if t, ok := u.Trainer.(train.Async); ok {
		return t.NewBatch()
	}
	return train.NewBatch(u.o.Spec, u.o.Train.Batch)
}

func (u *Updater) give(b *train.Batch) { u.batches = append(u.batches, b) }

// Close releases what the trainer holds on a device, and the window's memory.
func (u *Updater) Close() {
	u.Window.Close()
	train.Close(u.Trainer)
	u.magnet.close()
}

// Add adds games to the window. It returns the number of positions that entered, those of
// held-out games not counted.
func (u *Updater) Add(ctx context.Context, games []*record.Game) (positions int, err error) {
	before := u.Window.Added(false)
	for _, g := range games {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := u.Window.Add(g); err != nil {
			return 0, err
		}
	}
	return int(u.Window.Added(false) - before), nil
}

// Weights returns the network for evaluation and, unless Options.Newest is set, for self-play: the
// averaged weights if the trainer keeps an average.
func (u *Updater) Weights() (nn.Network, error) {
	averaged, err := u.Trainer.Averaged()
	if err != nil {
		return nil, err
	}
	return u.o.Load(averaged)
}

// Playing returns the network for self-play, given that for evaluation.
func (u *Updater) Playing(weights nn.Network) (nn.Network, error) {
	if !u.o.Newest {
		return weights, nil
	}
	params, err := u.Trainer.Params()
	if err != nil {
		return nil, err
	}
	return u.o.Load(params)
}

// Snapshot is everything that an update changes.
type Snapshot struct {
	Params *nn.Params
	State  train.State
}

// Snapshot copies what an update changes.
func (u *Updater) Snapshot() (Snapshot, error) {
	params, err := u.Trainer.Params()
	if err != nil {
		return Snapshot{}, err
	}
	state, err := u.Trainer.State()
	return Snapshot{params, state}, err
}

// Restore sets weights, average, solver and step count to those of a snapshot, to the bit.
func (u *Updater) Restore(to Snapshot) error {
	trainer, err := u.o.Backend.NewTrainer(to.Params, u.o.Train)
	if err != nil {
		return err
	}
	if err := trainer.SetState(to.State); err != nil {
		train.Close(trainer)
		return err
	}
	u.batches = nil // they may be the trainer's
	train.Close(u.Trainer)
	u.Trainer = trainer
	return nil
}

// encodeBatch chooses a batch in the given order, of the samples for training or of those held out,
// and encodes it on all encoders. The symmetries are drawn from rng; if rng is nil, the positions
// stay as they were played.
func (u *Updater) encodeBatch(
	b *train.Batch, held bool, order interface{ next() int }, rng *rand.Rand,
) error {
	u.picks = u.picks[:0]
	for range u.o.Train.Batch {
		p := pick{sample: u.Window.At(held, order.next())}
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
	if u.OnEncoded != nil {
		u.OnEncoded()
	}
	return errors.Join(errs...)
}

// encode writes a pick to its row of the batch.
func (u *Updater) encode(b *train.Batch, e *window.Encoder, row int, unused *float32) error {
	p, s := &u.picks[row], &u.o.Spec
	observation := u.o.Game.Planes().Size()
	value := s.Players * s.Outputs()
	policy, weight := b.Policy, unused
	if len(policy) > 0 {
		policy, weight = policy[row*s.Actions:(row+1)*s.Actions], &b.PolicyWeight[row]
	}
	if err := e.Row(p.sample, p.symmetry,
		b.Observations[row*observation:(row+1)*observation], policy,
		weight, b.Value[row*value:(row+1)*value]); err != nil {
		return err
	}
	return u.encodeAuxiliary(b, e, row)
}

// encodeAuxiliary writes the targets of the auxiliary heads for a pick to its row of the batch.
func (u *Updater) encodeAuxiliary(b *train.Batch, e *window.Encoder, row int) error {
	p, s := &u.picks[row], &u.o.Spec
	if facts := len(s.Auxiliary.Belief); facts > 0 {
		classes := s.Auxiliary.BeliefClasses()
		if err := e.HiddenFacts(p.sample, p.symmetry, b.Facts[row*facts:(row+1)*facts],
			b.Priors[row*classes:(row+1)*classes], &b.FactWeight[row]); err != nil {
			return err
		}
	}
	if len(b.AuxiliaryWeight) > 0 {
		cells, seats := len(s.Auxiliary.Cells)*s.Cells(), s.Players*s.Auxiliary.Seats
		return e.Auxiliary(p.sample, p.symmetry, b.Cells[row*cells:(row+1)*cells],
			b.Seats[row*seats:(row+1)*seats], &b.AuxiliaryWeight[row])
	}
	return nil
}
