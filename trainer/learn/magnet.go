package learn

import (
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// magnet pulls policy targets towards other policies: that of the averaged weights as they were
// when the update began (configs.Training.Magnet), and the uniform one
// (configs.Training.UniformMagnet).
type magnet struct {
	share     float64 // of the averaged weights
	uniform   float64 // of the uniform policy, at the run's start
	now       float64 // the same at present
	evaluator nn.Evaluator
	batch     *nn.Batch // without share nil
}

// magnetRows is the number of positions that are evaluated at once.
const magnetRows = 64

// setMagnet makes the averaged weights the magnet, if there is one.
func (u *Updater) setMagnet() error {
	o := u.o
	if u.magnet == nil && (o.Magnet > 0 || o.UniformMagnet > 0) {
		u.magnet = &magnet{share: o.Magnet, uniform: o.UniformMagnet, now: o.UniformMagnet}
	}
	if o.Magnet == 0 {
		return nil
	}
	weights, err := u.Weights()
	if err != nil {
		return err
	}
	u.magnet.close()
	e := weights.NewEvaluator()
	u.magnet.evaluator, u.magnet.batch = e, e.NewBatch(magnetRows)
	return nil
}

// attract pulls the policy targets of a batch towards the magnet, as the present progress says.
func (u *Updater) attract(b *train.Batch) error {
	if u.magnet == nil {
		return nil
	}
	return u.magnet.attract(b)
}

// setProgress tells the share of the run that is done, which the schedules of training follow.
func (u *Updater) setProgress(progress float64) {
	u.Trainer.SetProgress(progress)
	if u.magnet != nil {
		u.magnet.follow(progress)
	}
}

// follow sets the share of the uniform policy to what it is when a share of the run is done.
func (m *magnet) follow(progress float64) { m.now = m.uniform * min(1, max(0, 1-progress)) }

// close releases the evaluator.
func (m *magnet) close() {
	if m != nil && m.evaluator != nil {
		nn.Close(m.evaluator)
	}
}

// attract changes the policy targets of a batch.
func (m *magnet) attract(b *train.Batch) error {
	rows := len(b.PolicyWeight)
	actions, size := len(b.Policy)/rows, len(b.Observations)/rows
	if m.evaluator == nil {
		for r := range rows {
			if b.PolicyWeight[r] > 0 {
				attract(b.Policy[r*actions:][:actions], nil, 0, m.now)
			}
		}
		return nil
	}
	for from := 0; from < rows; from += magnetRows {
		m.batch.N = min(magnetRows, rows-from)
		copy(m.batch.Observations, b.Observations[from*size:][:m.batch.N*size])
		if err := m.evaluator.Evaluate(m.batch); err != nil {
			return err
		}
		for r := range m.batch.N {
			if b.PolicyWeight[from+r] > 0 {
				attract(b.Policy[(from+r)*actions:][:actions], m.batch.Policy[r*actions:][:actions],
					m.share, m.now)
			}
		}
	}
	return nil
}

// attract changes a policy p to p^(1-share-uniform)·magnet^share, normalized, magnet being given by
// its logits, which are not read if share is 0. Actions without probability have none afterwards:
// they are illegal, or all but excluded.
func attract(p, logits []float32, share, uniform float64) {
	logit := func(k int) float64 {
		x := (1 - share - uniform) * math.Log(float64(p[k]))
		if share > 0 {
			x += share * float64(logits[k])
		}
		return x
	}
	top := math.Inf(-1)
	for k, x := range p {
		if x > 0 {
			top = max(top, logit(k))
		}
	}
	sum := 0.0
	for k, x := range p {
		if x > 0 {
			sum += math.Exp(logit(k) - top)
		}
	}
	for k, x := range p {
		if x > 0 {
			p[k] = float32(math.Exp(logit(k)-top) / sum)
		}
	}
}
