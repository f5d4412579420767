package train

import (
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// referenceBelief computes the belief's loss, that of the priors and the calibration from the
// reference network's outputs.
func referenceBelief(
	s nn.Spec, out *nntest.Output, b *Batch,
) (belief, prior float64, calibration nn.Calibration) {
	facts := s.Auxiliary.Belief
	logits, priors := out.Belief, b.Priors
	for r, w := range b.FactWeight {
		for k, n := range facts {
			if class := b.Facts[r*len(facts)+k]; class >= 0 {
				sum := 0.0
				for i := range n {
					sum += float64(priors[i]) * math.Exp(logits[i])
				}
				belief -= float64(w) *
					math.Log(float64(priors[class])*math.Exp(logits[class])/sum) /
					mass(b.FactWeight)
				prior -= float64(w) * math.Log(float64(priors[class])) / mass(b.FactWeight)
				for i := range n {
					if w > 0 && priors[i] > 0 {
						hit := 0.0
						if i == int(class) {
							hit = 1
						}
						calibration.Count(float64(priors[i])*math.Exp(logits[i])/sum, hit)
					}
				}
			}
			logits, priors = logits[n:], priors[n:]
		}
	}
	return belief, prior, calibration
}

// The belief's losses and its calibration are those of their definition, from the reference
// network's outputs.
func TestBeliefLoss(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		facts := spec.Auxiliary.Belief
		rng := random.New(seed, random.Test, 45, uint64(index))
		p := nntest.Random(spec, rng)
		tr := newTrainer(t, p, smallConfig(OptimizerSGD))
		const rows = 19
		b := RandomBatch(spec, rows, rng)
		got, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		out := nntest.NewReference(p).Forward(nntest.Widen(b.Observations), rows, false)
		belief, prior, calibration := referenceBelief(spec, out, b)
		if math.Abs(got.Belief-belief) > 1e-4*(1+belief) ||
			math.Abs(got.BeliefPrior-prior) > 1e-5*(1+prior) ||
			(got.Belief > 0) != (len(facts) > 0) {
			t.Errorf(
				"%v: the belief's losses are %g and %g without it, the reference gives %g and %g",
				facts, got.Belief, got.BeliefPrior, belief, prior)
		}
		if math.Abs(got.BeliefError-calibration.Error()) > 1e-4 ||
			got.BeliefError != got.BeliefCalibration.Error() {
			t.Errorf("%v: the calibration error is %g, the reference gives %g",
				facts, got.BeliefError, calibration.Error())
		}
	}
}

// The head learns what the observations tell of a fact, and not what its priors tell already.
func TestBeliefLearns(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[2]
	rng := random.New(seed, random.Test, 46)
	c := smallConfig(OptimizerAdam)
	c.L2, c.GradClipNorm, c.BeliefWeight = 0, 0, 1
	tr := newTrainer(t, nntest.Random(spec, rng), c)
	b := RandomBatch(spec, c.Batch, rng)
	first := step(t, tr, b)
	var last nn.Losses
	for range 300 {
		last = step(t, tr, b)
	}
	if last.Belief > first.Belief/4 || last.BeliefPrior != first.BeliefPrior {
		t.Errorf("the belief's loss of %g became %g; the prior's of %g became %g",
			first.Belief, last.Belief, first.BeliefPrior, last.BeliefPrior)
	}
}
