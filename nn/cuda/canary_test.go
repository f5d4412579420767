package cuda_test

import (
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// faulty is a context of a device that is not emulated, which flips a bit of the results of large
// batches while it is faulty.
type faulty struct {
	driver.Context
	now *bool
}

func (f faulty) Device() driver.Device {
	d := f.Context.Device()
	d.Emulated = false
	return d
}

func (f faulty) CopyOut(dst []byte, src driver.Ptr, s driver.Stream) error {
	err := f.Context.CopyOut(dst, src, s)
	if *f.now && len(dst) > 1000 {
		dst[len(dst)-1] ^= 1
	}
	return err
}

// TestCanary checks that a device that begins to compute wrongly is reported as lost, by the next
// evaluation after the canary was due.
func TestCanary(t *testing.T) {
	wrong := false
	api := fake.New(nil)
	d, err := cuda.Open(fake.Wrap(api, func(c driver.Context) driver.Context {
		return faulty{c, &wrong}
	}), 0, cuda.Options{Unchecked: true, Candidates: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	w, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	defer e.Close()
	b := e.NewBatch(2)
	b.N = 2
	launches := func() int {
		t.Helper()
		before := api.Calls("Launch")
		if err := e.Evaluate(b); err != nil {
			t.Fatal(err)
		}
		return api.Calls("Launch") - before
	}
	alone := launches()
	for _, due := range []bool{false, true, false, true} {
		if due {
			cuda.CanaryIsDue(w)
		}
		if n := launches(); n != alone && !due || n != 2*alone && due {
			t.Errorf("due: %v: %d launches, %d without a canary", due, n, alone)
		}
	}
	wrong = true
	launches() // nobody knows
	cuda.CanaryIsDue(w)
	err = e.Evaluate(b)
	if !driver.Lost(err) || !strings.Contains(err.Error(), "fake: the same batch again") {
		t.Errorf("error %v", err)
	}
	other := cuda.NewEvaluator(w)
	defer other.Close()
	c := other.NewBatch(2)
	c.N = 2
	if err := other.Evaluate(c); !driver.Lost(err) {
		t.Errorf("another evaluator: error %v", err)
	}
}

// TestCanaryWithoutMemory checks that a device on which there is no memory for a canary is used
// without one.
func TestCanaryWithoutMemory(t *testing.T) {
	api, d := pretended(t)
	defer d.Close()
	w, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	defer e.Close()
	b := e.NewBatch(2)
	b.N = 2
	cuda.CanaryIsDue(w)
	api.Fail("Alloc", 1, &driver.MemoryError{Wanted: 1 << 30})
	for range 2 {
		if err := e.Evaluate(b); err != nil {
			t.Error(err)
		}
	}
}
