package cudabackend

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
)

// TestTrace checks that all calls of a batch are timed, with a known work, whichever way the
// network is evaluated.
func TestTrace(t *testing.T) {
	for precision, kernels := range map[string][]string{
		backend.BF16: {"tower", "heads", "values"},
		backend.FP32: {
			"planes", "layer 9×16→16", "layer 9×16→16", "layer 9×16→16", "maps", "policy",
			"layer 1×144→64", "values",
		},
	} {
		b, err := New(fake.Ampere(t, 1), backend.Spec{
			Kind: backend.CUDA, Inference: precision,
		}, Options{Unchecked: true, Candidates: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if err := b.(backend.Prepared).Prepare(spec); err != nil {
			t.Fatal(err)
		}
		timed, err := b.(backend.Traced).Trace()
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		n, err := b.Load(nntest.Random(spec, rng))
		if err != nil {
			t.Fatal(err)
		}
		e := n.NewEvaluator()
		x := e.NewBatch(5)
		x.N = 5
		copy(x.Observations, nntest.Observations(spec, 5, rng))
		calls, err := timed(false, func() error { return e.Evaluate(x) })
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range calls {
			if c.Bytes == 0 {
				t.Errorf("%s: the bytes of %s are not known", precision, c.Name)
			}
			if c.Name != driver.CallCopyIn && c.Name != driver.CallCopyOut {
				names = append(names, c.Name)
			}
		}
		// the towers for few rows read and write the host's memory
		copied := calls[0].Name == driver.CallCopyIn &&
			calls[len(calls)-1].Name == driver.CallCopyOut
		if !slices.Equal(names, kernels) || copied != (precision == backend.FP32) {
			t.Errorf("%s: %v, copied: %v", precision, names, copied)
		}
	}
	two, err := New(fake.Ampere(t, 2), backend.Spec{
		Kind: backend.CUDA, Ordinals: []int{0, 1},
	}, Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if _, err := two.(backend.Traced).Trace(); err == nil {
		t.Error("the calls of two devices are timed")
	}
}
