package learn

import (
	"errors"
	"math/rand/v2"
	"sync"

	"tengen/nn/train"
	"tengen/replay/window"
)

// encodeBatch chooses a batch in the given order and encodes it on all encoders. The symmetries are
// drawn from rng; if rng is nil, the positions stay as they were played.
func (u *Updater) encodeBatch(
	b *train.Batch, samples []window.Sample, order interface{ next() int }, rng *rand.Rand,
) error {
	u.picks = u.picks[:0]
	for range u.o.Train.Batch {
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
