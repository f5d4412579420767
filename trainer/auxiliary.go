package trainer

import (
	"tengen/nn/train"
	"tengen/replay/window"
)

// encodeAuxiliary writes the targets of the auxiliary heads for a pick to its row of the batch.
func (u *updater) encodeAuxiliary(b *train.Batch, e *window.Encoder, row int) error {
	p, s := &u.picks[row], &u.plan.Spec
	if facts := len(s.Auxiliary.Belief); facts > 0 {
		classes := s.Auxiliary.BeliefClasses()
		if err := e.Secrets(p.sample, p.symmetry, b.Facts[row*facts:(row+1)*facts], b.Priors[row*classes:(row+1)*classes], &b.FactWeight[row]); err != nil {
			return err
		}
	}
	if len(b.LabelWeight) > 0 {
		cells, seats := len(s.Auxiliary.Cells)*s.Cells(), s.Players*s.Auxiliary.Seats
		return e.Labels(p.sample, p.symmetry, b.Cells[row*cells:(row+1)*cells], b.Seats[row*seats:(row+1)*seats], &b.LabelWeight[row])
	}
	return nil
}
