package nn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

func TestSpecValidation(t *testing.T) {
	for _, spec := range nntest.AllSpecs() {
		if err := spec.Validate(); err != nil {
			t.Errorf("%+v: %v", spec, err)
		}
	}
	for say, change := range map[string]func(s *nn.Spec){
		"planes is 0":      func(s *nn.Spec) { s.Planes = 0 },
		"height is -1":     func(s *nn.Spec) { s.Height = -1 },
		"width is 0":       func(s *nn.Spec) { s.Width = 0 },
		"players is 0":     func(s *nn.Spec) { s.Players = 0 },
		"blocks is -1":     func(s *nn.Spec) { s.Blocks = -1 },
		"filters is 0":     func(s *nn.Spec) { s.Filters = 0 },
		"hidden is 0":      func(s *nn.Spec) { s.Hidden = 0 },
		"has 24 actions":   func(s *nn.Spec) { s.Actions = 24 },
		"pass (26)":        func(s *nn.Spec) { s.Policy = nn.PolicyConvPass },
		"actions is 0":     func(s *nn.Spec) { s.Policy, s.Actions = nn.PolicyDense, 0 },
		`called "softmax"`: func(s *nn.Spec) { s.Policy = "softmax" },
		`called "scalar"`:  func(s *nn.Spec) { s.Value = "scalar" },
		"at least two":     func(s *nn.Spec) { s.Support = s.Support[:1] },
		"ascending":        func(s *nn.Spec) { s.Support = []float32{0, 0} },
	} {
		s := nntest.Specs()[0]
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("error %v, want one that says %q", err, say)
		}
		if _, err := nn.NewParams(s); err == nil {
			t.Errorf("parameters were made for a network where %s", say)
		}
	}
}

func TestParamsByCount(t *testing.T) {
	spec := nntest.Specs()[0]
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	count := 0
	for _, tensor := range p.Tensors {
		names = append(names, tensor.Name)
		n := 1
		for _, d := range tensor.Shape {
			n *= d
		}
		if n != len(tensor.Data) {
			t.Errorf("%s has shape %v and %d numbers", tensor.Name, tensor.Shape, len(tensor.Data))
		}
		count += n
	}
	want := []string{"stem.weight", "stem.gamma", "stem.beta", "stem.mean", "stem.variance"}
	if !slices.Equal(names[:5], want) {
		t.Errorf("the first tensors are %v, want %v", names[:5], want)
	}
	// 6·8·9 + 4·8 in the stem, 8·8·9 + 4·8 in each of four convolutions, 8 + 1 in the policy head,
	// and for each of three players 6·200 + 6 and 5·6 + 5.
	if by := 6*8*9 + 32 + 4*(8*8*9+32) + 9 + 3*(1206+35); count != by || p.Count() != by {
		t.Errorf("%d numbers, Count says %d, want %d", count, p.Count(), by)
	}
	defer func() {
		if recover() == nil {
			t.Error("Get found a tensor that is not there")
		}
	}()
	p.Get("stem.bias")
}

func TestInit(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		spec.Filters, spec.Hidden = 24, 40
		p, err := nn.NewParams(spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Init(random.New(1, random.Test, uint64(index)))
		for _, tensor := range p.Tensors {
			if len(tensor.Shape) < 2 {
				want := float32(0)
				if strings.HasSuffix(tensor.Name, ".gamma") ||
					strings.HasSuffix(tensor.Name, ".variance") {
					want = 1
				}
				for _, v := range tensor.Data {
					if v != want {
						t.Fatalf("%s starts at %g, want %g", tensor.Name, v, want)
					}
				}
				continue
			}
			if len(tensor.Data) < 400 {
				continue // too few for a standard deviation
			}
			fanIn := len(tensor.Data) / tensor.Shape[0]
			want := math.Sqrt(2 / float64(fanIn))
			if strings.Contains(tensor.Name, "output") || tensor.Name == "policy.dense.weight" ||
				strings.HasSuffix(tensor.Name, ".scale.weight") ||
				strings.HasSuffix(tensor.Name, ".shift.weight") {
				want /= 10
			}
			sum := 0.0
			for _, v := range tensor.Data {
				sum += float64(v) * float64(v)
			}
			if got := math.Sqrt(sum / float64(len(tensor.Data))); math.Abs(got/want-1) > 0.15 {
				t.Errorf("%s has standard deviation %g, want %g", tensor.Name, got, want)
			}
		}
		q := p.Clone()
		q.Get("stem.weight").Data[0]++
		if q.Get("stem.weight").Data[0] == p.Get("stem.weight").Data[0] {
			t.Error("a clone shares memory with its original")
		}
	}
}
