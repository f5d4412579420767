package trainer

import (
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// magnet pulls policy targets towards the policy of the averaged weights as they were when the update
// began (configs.Training.Magnet).
type magnet struct {
	share     float64
	evaluator nn.Evaluator
	batch     *nn.Batch
}

// magnetRows is the number of positions that are evaluated at once.
const magnetRows = 64

// setMagnet makes the averaged weights the magnet, if there is one.
func (u *updater) setMagnet() error {
	if u.plan.Config.Training.Magnet == 0 {
		return nil
	}
	weights, err := u.weights()
	if err != nil {
		return err
	}
	if u.magnet != nil {
		nn.Close(u.magnet.evaluator)
	}
	e := weights.NewEvaluator()
	u.magnet = &magnet{share: u.plan.Config.Training.Magnet, evaluator: e, batch: e.NewBatch(magnetRows)}
	return nil
}

// attract changes the policy targets of a batch.
func (m *magnet) attract(b *train.Batch) error {
	rows := len(b.PolicyWeight)
	actions, size := len(b.Policy)/rows, len(b.Observations)/rows
	for from := 0; from < rows; from += magnetRows {
		m.batch.N = min(magnetRows, rows-from)
		copy(m.batch.Observations, b.Observations[from*size:][:m.batch.N*size])
		if err := m.evaluator.Evaluate(m.batch); err != nil {
			return err
		}
		for r := range m.batch.N {
			if b.PolicyWeight[from+r] > 0 {
				attract(b.Policy[(from+r)*actions:][:actions], m.batch.Policy[r*actions:][:actions], m.share)
			}
		}
	}
	return nil
}

// attract changes a policy p to p^(1-share)·magnet^share, normalized, magnet being given by its logits.
// Actions without probability have none afterwards: they are illegal, or all but excluded.
func attract(p, logits []float32, share float64) {
	top := math.Inf(-1)
	for k, x := range p {
		if x > 0 {
			top = max(top, (1-share)*math.Log(float64(x))+share*float64(logits[k]))
		}
	}
	sum := 0.0
	for k, x := range p {
		if x > 0 {
			sum += math.Exp((1-share)*math.Log(float64(x)) + share*float64(logits[k]) - top)
		}
	}
	for k, x := range p {
		if x > 0 {
			p[k] = float32(math.Exp((1-share)*math.Log(float64(x))+share*float64(logits[k])-top) / sum)
		}
	}
}
