package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// The weights of the auxiliary losses in all tests.
const labelWeight, beliefWeight = 0.6, 0.2

// referenceAuxiliary computes the auxiliary losses of the package comment from the reference
// network's outputs.
func referenceAuxiliary(s nn.Spec, out *nntest.Output, b *Batch, rows int) (cells, seats float64) {
	classes, numbers := s.Auxiliary.Classes(), s.Players*s.Auxiliary.Seats
	for r, w := range b.AuxiliaryWeight {
		loss, n := 0.0, 0
		for cell := range s.Cells() {
			first := 0
			for k, c := range s.Auxiliary.Cells {
				var logits []float64
				for class := first; class < first+c; class++ {
					logits = append(logits, out.Cells[(r*classes+class)*s.Cells()+cell])
				}
				if class := b.Cells[(r*len(s.Auxiliary.Cells)+k)*s.Cells()+cell]; class >= 0 {
					loss -= math.Log(nntest.Softmax(logits)[class])
					n++
				}
				first += c
			}
		}
		if n > 0 {
			cells += float64(w) * loss / float64(n) / mass(b.AuxiliaryWeight)
		}
		for i := r * numbers; i < (r+1)*numbers; i++ {
			d := out.Seats[i] - float64(b.Seats[i])
			seats += float64(w) * d * d / float64(numbers) / mass(b.AuxiliaryWeight)
		}
	}
	return cells, seats
}

// Each auxiliary loss is measured as the reference computes it, in batches that fill the graph in
// part.
func TestAuxiliaryLosses(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		rng := random.New(seed, random.Test, 40, uint64(index))
		p := nntest.Random(spec, rng)
		tr := newTrainer(t, p, smallConfig(OptimizerSGD))
		const rows = 19
		b := RandomBatch(spec, rows, rng)
		got, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		out := nntest.NewReference(p).Forward(nntest.Widen(b.Observations), rows, false)
		cells, seats := referenceAuxiliary(spec, out, b, rows)
		for _, v := range []struct {
			name      string
			got, want float64
			has       bool
		}{
			{"cells", got.Cells, cells, len(spec.Auxiliary.Cells) > 0},
			{"seats", got.Seats, seats, spec.Auxiliary.Seats > 0},
		} {
			if math.Abs(v.got-v.want) > 1e-4*(1+v.want) || (v.got > 0) != v.has {
				t.Errorf("%+v: the loss of %s is %g, the reference gives %g",
					spec.Auxiliary, v.name, v.got, v.want)
			}
		}
	}
}

// Without weights the auxiliary heads change nothing of the rest: steps give, to the bit, the
// weights of a network without them.
func TestAuxiliaryHeadsWithoutWeight(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		rng := random.New(seed, random.Test, 41, uint64(index))
		p := nntest.Random(spec, rng)
		c := smallConfig(OptimizerAdam)
		c.LabelWeight, c.BeliefWeight, c.GradClipNorm = 0, 0, 0
		with, without := newTrainer(t, p, c), newTrainer(t, p.WithoutAuxiliary(), c)
		for range 3 {
			b := RandomBatch(spec, c.Batch, rng)
			step(t, with, b)
			step(t, without, &Batch{
				Observations: b.Observations, Policy: b.Policy, PolicyWeight: b.PolicyWeight,
				Value: b.Value,
			})
		}
		if d := sameParams(must(with.Params()).WithoutAuxiliary(),
			must(without.Params())); d != "" {
			t.Errorf("%+v: %s", spec.Auxiliary, d)
		}
	}
}

// The heads learn a small set of targets by heart.
func TestAuxiliaryHeadsLearn(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[0]
	rng := random.New(seed, random.Test, 42)
	c := smallConfig(OptimizerAdam)
	c.L2, c.GradClipNorm, c.LabelWeight = 0, 0, 1
	tr := newTrainer(t, nntest.Random(spec, rng), c)
	b := RandomBatch(spec, c.Batch, rng)
	first := step(t, tr, b)
	var last nn.Losses
	for range 300 {
		last = step(t, tr, b)
	}
	if last.Cells > first.Cells/4 || last.Seats > first.Seats/4 {
		t.Errorf("losses of %g cells and %g seats became %g and %g",
			first.Cells, first.Seats, last.Cells, last.Seats)
	}
}

// A batch whose targets do not fit the network is refused, and one that can't be learned changes
// nothing.
func TestWrongAuxiliaryTargets(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[0]
	rng := random.New(seed, random.Test, 43)
	tr := newTrainer(t, nntest.Random(spec, rng), smallConfig(OptimizerAdam))
	before := must(tr.Params())
	nan := float32(math.NaN())
	for _, c := range []struct {
		change func(b *Batch)
		say    string
	}{
		{func(b *Batch) { b.Cells = b.Cells[1:] }, "targets of cells"},
		{func(b *Batch) { b.Cells[3] = 4 }, "class 4 of target 0"},
		{func(b *Batch) { b.Cells[3] = -2 }, "class -2 of target 0"},
		{func(b *Batch) { b.Cells[spec.Cells()] = 2 }, "class 2 of target 1"},
		{func(b *Batch) { b.Seats = nil }, "targets of seats"},
		{func(b *Batch) { b.AuxiliaryWeight = nil }, "weights of auxiliary targets"},
		{func(b *Batch) { b.AuxiliaryWeight[2] = -1 }, "auxiliary weight of row 2"},
		{func(b *Batch) { b.Facts = b.Facts[1:] }, "numbers of facts"},
		{func(b *Batch) { b.Facts[1] = 2 }, "fact 1 of row 0 is of class 2"},
		{func(b *Batch) { b.Facts[3] = -2 }, "fact 0 of row 1 is of class -2"},
		{func(b *Batch) { b.Priors = nil }, "priors"},
		{func(b *Batch) { b.Priors[0] = 1.5 }, "a prior of fact 0 of row 0 is 1.5"},
		{func(b *Batch) { b.Facts[0], b.Priors[2] = 2, 0 }, "whose prior is 0"},
		{func(b *Batch) { b.FactWeight[2] = -1 }, "fact weight of row 2"},
		{func(b *Batch) { b.FactWeight = nil }, "fact weights"},
		{func(b *Batch) { b.Seats[0] = nan }, "loss of seats"},
	} {
		b := RandomBatch(spec, 8, rng)
		c.change(b)
		if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("error %v, want one about %s", err, c.say)
		}
	}
	if d := sameParams(before, must(tr.Params())); d != "" {
		t.Errorf("a refused batch changed %s", d)
	}
}

// Losses does not depend on how rows fall into batches, and no target outside its row counts.
func TestAuxiliaryRowsAreIndependent(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		rng := random.New(seed, random.Test, 44, uint64(index))
		tr := newTrainer(t, nntest.Random(spec, rng), smallConfig(OptimizerSGD))
		b := RandomBatch(spec, 8, rng)
		whole, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		changed := &Batch{
			Observations: b.Observations, Policy: b.Policy, PolicyWeight: b.PolicyWeight,
			Value: b.Value,
			Facts: slices.Clone(b.Facts), Priors: b.Priors, FactWeight: b.FactWeight,
			Cells: slices.Clone(b.Cells), Seats: slices.Clone(b.Seats),
			AuxiliaryWeight: b.AuxiliaryWeight,
		}
		for r, w := range b.AuxiliaryWeight {
			if w > 0 {
				continue
			}
			for i := r * len(b.Cells) / 8; i < (r+1)*len(b.Cells)/8; i++ {
				changed.Cells[i] = 0
			}
			for i := r * len(b.Seats) / 8; i < (r+1)*len(b.Seats)/8; i++ {
				changed.Seats[i] = 9
			}
		}
		for r, w := range b.FactWeight {
			if w == 0 {
				for i := r * len(b.Facts) / 8; i < (r+1)*len(b.Facts)/8; i++ {
					changed.Facts[i] = NoClass
				}
			}
		}
		if got, err := tr.Losses(changed); err != nil || got != whole {
			t.Errorf("%+v: targets without weight change the losses %+v to %+v (%v)",
				spec.Auxiliary, whole, got, err)
		}
	}
}
