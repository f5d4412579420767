package nn_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// TestGrow checks that a grown network computes the same function as the original, both in
// the reference and in the kernels; that a copy is equal to the bit; and that no memory is shared.
func TestGrow(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		for name, grow := range map[string]func(*nn.Spec){
			"copy":    func(*nn.Spec) {},
			"blocks":  func(s *nn.Spec) { s.Blocks += 2 },
			"filters": func(s *nn.Spec) { s.Filters += 5 },
			"hidden":  func(s *nn.Spec) { s.Hidden += 3 },
			"all": func(s *nn.Spec) {
				s.Blocks, s.Filters, s.Hidden = s.Blocks+1, 2*s.Filters, 2*s.Hidden+1
			},
		} {
			t.Run(fmt.Sprintf("%d %s", index, name), func(t *testing.T) {
				rng := random.New(3, random.Test, uint64(index))
				p := nntest.Random(spec, rng)
				before := p.Clone()
				larger := spec
				grow(&larger)
				q, err := nn.Grow(p, larger, rng)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(q.Spec, larger) || q.Count() != int(larger.Count()) {
					t.Fatalf("it grew to %+v, want %+v", q.Spec, larger)
				}
				const rows = 5
				observations := nntest.Observations(spec, rows, rng)
				wide := nntest.Widen(observations)
				want, got := nntest.NewReference(p).Forward(wide, rows, false),
					nntest.NewReference(q).Forward(wide, rows, false)
				near(t, "policy of the reference", got.Policy, want.Policy, 1e-9)
				near(t, "values of the reference", got.Values, want.Values, 1e-9)
				a, b := evaluate(nn.NewEvaluator(nn.Fold(p)), observations, rows),
					evaluate(nn.NewEvaluator(nn.Fold(q)), observations, rows)
				near(t, "policy", nntest.Widen(b.Policy), nntest.Widen(a.Policy), 1e-5)
				near(t, "values", nntest.Widen(b.Values), nntest.Widen(a.Values), 1e-5)
				if name == "copy" && !reflect.DeepEqual(q.Tensors, p.Tensors) {
					t.Error("a copy differs")
				}
				for i := range q.Tensors {
					q.Tensors[i].Data[0]++
				}
				if !reflect.DeepEqual(p.Tensors, before.Tensors) {
					t.Error("the network shares memory with the one that it grew from")
				}
			})
		}
	}
}

// TestGrowDrawsNewFilters checks that new filters are drawn at random: they are not zero,
// and no two are equal.
func TestGrowDrawsNewFilters(t *testing.T) {
	spec := nntest.Specs()[0]
	p := nntest.Random(spec, random.New(4, random.Test))
	larger := spec
	larger.Filters += 2
	q, err := nn.Grow(p, larger, random.New(5, random.Test))
	if err != nil {
		t.Fatal(err)
	}
	stem := q.Get("stem.weight").Data
	n := spec.Planes * 9
	first, second := stem[spec.Filters*n:(spec.Filters+1)*n], stem[(spec.Filters+1)*n:]
	if reflect.DeepEqual(first, second) || first[0] == 0 || second[0] == 0 {
		t.Errorf("the new filters of the stem are %v and %v", first, second)
	}
}

func TestGrowRefuses(t *testing.T) {
	spec := nntest.Specs()[0]
	spec.Blocks, spec.Filters, spec.Hidden = 2, 8, 6
	p := nntest.Random(spec, random.New(1, random.Test))
	for want, change := range map[string]func(*nn.Spec){
		"planes: ":  func(s *nn.Spec) { s.Planes++ },
		"players: ": func(s *nn.Spec) { s.Players++ },
		"blocks: 2, the new network's 1, and a network can't shrink": func(s *nn.Spec) {
			s.Blocks--
		},
		"filters: 8, the new network's 7":      func(s *nn.Spec) { s.Filters-- },
		"hidden units: 6, the new network's 5": func(s *nn.Spec) { s.Hidden-- },
		"policy head: ":                        func(s *nn.Spec) { s.Policy = nn.PolicyNone },
		"value head: ": func(s *nn.Spec) {
			s.Value, s.Support = nn.ValueLinear, nil
		},
		"utilities":   func(s *nn.Spec) { s.Support = append([]float32{-7}, s.Support...) },
		"at least 1":  func(s *nn.Spec) { s.Hidden = 0 },
		"; blocks: 2": func(s *nn.Spec) { s.Planes++; s.Blocks-- },
	} {
		other := spec
		other.Support = append([]float32(nil), spec.Support...)
		change(&other)
		if q, err := nn.Grow(p, other, random.New(1, random.Test)); err == nil || q != nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", want, err)
		}
	}
	board := spec
	board.Height++
	board.Actions += board.Width
	if _, err := nn.Grow(p, board, random.New(1, random.Test)); err == nil ||
		!strings.Contains(err.Error(), "board: ") || !strings.Contains(err.Error(), "actions: ") {
		t.Errorf("another board: %v", err)
	}
}
