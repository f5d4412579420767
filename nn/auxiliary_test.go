package nn_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// A network with auxiliary heads has the tensors, the first weights and the evaluations, to the
// bit, of the network without them.
func TestAuxiliaryHeadsLeaveTheRestAlone(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		p, err := nn.NewParams(spec)
		if err != nil {
			t.Fatal(err)
		}
		if float64(p.Count()) != spec.Count() {
			t.Errorf("%+v: %d numbers, counted as %g", spec.Auxiliary, p.Count(), spec.Count())
		}
		plain := nntest.Specs()[index]
		bare, err := nn.NewParams(plain)
		if err != nil {
			t.Fatal(err)
		}
		p.Init(random.New(1, random.Test, 50))
		bare.Init(random.New(1, random.Test, 50))
		cut := p.WithoutAuxiliary()
		if cut.Digest() != bare.Digest() || !reflect.DeepEqual(cut.Spec, bare.Spec) {
			t.Errorf("%+v: the rest of the network is %+v, want %+v",
				spec.Auxiliary, cut.Spec, bare.Spec)
		}
		if cut.Get("stem.weight") == p.Get("stem.weight") || cut.WithoutAuxiliary() != cut {
			t.Errorf("%+v: a network without the heads must be another, and itself without them",
				spec.Auxiliary)
		}
		with, without := nn.Fold(p), nn.Fold(bare)
		if !reflect.DeepEqual(with.Spec(), without.Spec()) {
			t.Errorf("%+v: the evaluated network is %+v, want %+v",
				spec.Auxiliary, with.Spec(), without.Spec())
		}
		const rows = 5
		x := nntest.Observations(spec, rows, random.New(1, random.Test, 51))
		a, b := evaluate(nn.NewEvaluator(with), x, rows),
			evaluate(nn.NewEvaluator(without), x, rows)
		if !reflect.DeepEqual(a.Policy, b.Policy) || !reflect.DeepEqual(a.Values, b.Values) {
			t.Errorf("%+v: evaluations differ", spec.Auxiliary)
		}
	}
}

// The belief head is evaluated where it is asked for, as the reference computes it, and changes
// nothing else.
func TestFoldBelief(t *testing.T) {
	for index, spec := range nntest.AuxiliarySpecs() {
		p := nntest.Random(spec, random.New(1, random.Test, 55, uint64(index)))
		w, err := nn.FoldBelief(p)
		if len(spec.Auxiliary.Belief) == 0 {
			if err == nil || !strings.Contains(err.Error(), "no belief head") {
				t.Errorf("error %v, want one about the head", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if a := w.Spec().Auxiliary; !reflect.DeepEqual(a, nn.Auxiliary{
			Belief: spec.Auxiliary.Belief,
		}) {
			t.Errorf("the evaluated heads are %+v", a)
		}
		const rows = 37
		x := nntest.Observations(spec, rows, random.New(1, random.Test, 56))
		got, plain := evaluate(nn.NewEvaluator(w), x, rows),
			evaluate(nn.NewEvaluator(nn.Fold(p)), x, rows)
		want := nntest.NewReference(p).Forward(nntest.Widen(x), rows, false)
		near(t, "belief", nntest.Widen(got.Belief), want.Belief, 1e-4)
		if !reflect.DeepEqual(got.Policy, plain.Policy) ||
			!reflect.DeepEqual(got.Values, plain.Values) || len(plain.Belief) > 0 {
			t.Error("the belief head changes other evaluations")
		}
	}
}

// A description without auxiliary heads is written as before there were any, and others are read
// back.
func TestAuxiliaryInJSON(t *testing.T) {
	for _, spec := range append(nntest.Specs()[:1], nntest.AuxiliarySpecs()...) {
		text, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(text), "auxiliary"); got == spec.Auxiliary.IsZero() {
			t.Errorf("%+v is written as %s", spec.Auxiliary, text)
		}
		var again nn.Spec
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, spec) {
			t.Errorf("%s is read as %+v: %v", text, again, err)
		}
	}
}

// A larger network keeps the auxiliary heads that both have; others are drawn, or left out.
func TestGrowAuxiliary(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[0]
	p := nntest.Random(spec, random.New(1, random.Test, 52))
	const rows = 3
	x := nntest.Widen(nntest.Observations(spec, rows, random.New(1, random.Test, 53)))
	want := nntest.NewReference(p).Forward(x, rows, false)
	larger := spec
	larger.Blocks, larger.Filters = spec.Blocks+1, spec.Filters+3
	q, err := nn.Grow(p, larger, random.New(1, random.Test, 54))
	if err != nil {
		t.Fatal(err)
	}
	got := nntest.NewReference(q).Forward(x, rows, false)
	near(t, "policy", got.Policy, want.Policy, 1e-9)
	near(t, "cells", got.Cells, want.Cells, 1e-9)
	near(t, "seats", got.Seats, want.Seats, 1e-9)
	near(t, "belief", got.Belief, want.Belief, 1e-9)

	other := larger
	other.Auxiliary = nn.Auxiliary{Cells: []int{2, 4}, Belief: []int{2, 3, 5}}
	if q, err = nn.Grow(p, other, random.New(1, random.Test, 54)); err != nil {
		t.Fatal(err)
	}
	if got = nntest.NewReference(q).Forward(x, rows, false); reflect.DeepEqual(got.Cells,
		want.Cells) || reflect.DeepEqual(got.Belief, want.Belief) || len(got.Seats) > 0 {
		t.Error("heads of other targets were kept")
	}
	near(t, "policy", got.Policy, want.Policy, 1e-9)
	if q, err = nn.Grow(p, larger.WithoutAuxiliary(), random.New(1, random.Test, 54)); err != nil ||
		!q.Spec.Auxiliary.IsZero() {
		t.Errorf("the network without heads is %+v: %v", q.Spec, err)
	}
}

func TestWrongAuxiliary(t *testing.T) {
	for _, c := range []struct {
		change func(s *nn.Spec)
		say    string
	}{
		{func(s *nn.Spec) { s.Auxiliary.Cells = []int{3, 1} }, "target 1 of cells has 1 classes"},
		{func(s *nn.Spec) { s.Auxiliary.Cells = []int{128} }, "128 classes"},
		{func(s *nn.Spec) {
			s.Auxiliary.Belief = []int{2, 1}
		}, "fact 1 of the belief has 1 classes"},
		{func(s *nn.Spec) { s.Auxiliary.Seats = -1 }, "-1 targets of seats"},
	} {
		spec := nntest.Specs()[0]
		c.change(&spec)
		if err := spec.Validate(); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("error %v, want one that says %q", err, c.say)
		}
	}
}
