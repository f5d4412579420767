package cuda_test

import (
	"errors"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// pretended opens a device whose kernels do nothing.
func pretended(t testing.TB) (*fake.Driver, *cuda.Device) {
	t.Helper()
	api := fake.New(nil)
	d, err := cuda.Open(api, 0, cuda.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	return api, d
}

// TestEveryFailure makes each driver call of loading a network, making a batch and evaluating it
// fail in turn: the error must be returned, and everything must be freed.
func TestEveryFailure(t *testing.T) {
	params := nntest.Random(nntest.Specs()[0], random.New(1, random.Test))
	failure := &driver.MemoryError{Wanted: 1 << 30, Free: 1 << 20}
	failed := 0
	for _, call := range []string{
		"Alloc", "AllocHost", "NewStream", "NewEvent", "CopyIn", "CopyOut", "Launch", "Record",
		"SynchronizeEvent", "Done", "Synchronize", "Compile", "Load", "Function", "AllowShared",
	} {
		for nth := 1; ; nth++ {
			api, d := pretended(t)
			api.Fail(call, nth, failure)
			err := work(d, params)
			for _, left := range api.Left() {
				// the device keeps modules
				kept := strings.Contains(left, "module") &&
					(err == nil || call != "Function" && call != "AllowShared")
				if !kept && !strings.Contains(left, "open") {
					t.Errorf("%s %d: not freed: %s", call, nth, left)
				}
			}
			if err := d.Close(); err != nil {
				t.Errorf("%s %d: close: %v", call, nth, err)
			}
			if err == nil {
				break // there are fewer such calls
			}
			failed++
			var memory *driver.MemoryError
			if !errors.As(err, &memory) {
				t.Errorf("%s %d: the error is %v", call, nth, err)
			}
		}
	}
	if failed < 25 {
		t.Errorf("only %d calls could fail", failed)
	}
}

// work loads, evaluates and frees.
func work(d *cuda.Device, params *nn.Params) error {
	// Failures of other kernels would only lead to the last way; fp32 has no other.
	w, err := d.Load(params, kernels.FP32)
	if err != nil {
		return err
	}
	defer w.Close()
	e := cuda.NewEvaluator(w)
	defer e.Close()
	b := e.NewBatch(5)
	b.N = 5
	e.Start(b)
	return e.Wait(b)
}

// TestFailedLaunchesDoNotCount makes each call of an evaluation fail in turn: the blocks of the
// launch no longer count as under way.
func TestFailedLaunchesDoNotCount(t *testing.T) {
	failure := &driver.MemoryError{Wanted: 1 << 30, Free: 1 << 20}
	params := nntest.Random(nntest.Specs()[0], random.New(1, random.Test))
	for _, call := range []string{
		"CopyIn", "Launch", "CopyOut", "Record", "Done", "SynchronizeEvent",
	} {
		api, d := pretended(t)
		w, err := d.Load(params, kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		if call != "Done" {
			cuda.Poll(d, 1000) // nobody polls
		}
		e := cuda.NewEvaluator(w)
		b := e.NewBatch(5)
		b.N = 5
		cuda.Towers(w, false) // with copies
		api.Fail(call, 1, failure)
		e.Start(b)
		if call != "Done" && call != "SynchronizeEvent" {
			if n := cuda.Blocks(e); n != 0 {
				t.Errorf("%s fails: %d blocks count", call, n)
			}
		} else if cuda.Blocks(e) == 0 {
			t.Errorf("%s fails: no blocks counted before", call)
		}
		if err := e.Wait(b); !errors.As(err, new(*driver.MemoryError)) {
			t.Errorf("%s fails: error %v", call, err)
		}
		if n := cuda.Blocks(e); n != 0 {
			t.Errorf("%s fails: %d blocks count after the wait", call, n)
		}
		e.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLostDevice loses the device during an evaluation.
func TestLostDevice(t *testing.T) {
	api, d := pretended(t)
	defer d.Close()
	w, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	b := e.NewBatch(5)
	b.N = 5
	if err := e.Evaluate(b); err != nil {
		t.Fatal(err)
	}
	api.Fail("Done", 1, &driver.LostError{
		Device: "fake", Call: "cuEventQuery", Code: 719, Reason: "unspecified launch failure",
	})
	first := e.Evaluate(b)
	var lost *driver.LostError
	if !errors.As(first, &lost) {
		t.Fatalf("the error is %v", first)
	}
	if err := e.Evaluate(b); err != first {
		t.Errorf("afterwards the error is %v", err)
	}
	next := e.NewBatch(3)
	if err := e.Evaluate(next); len(next.Values) != 9 || err != first {
		t.Errorf("a batch of %d values and the error %v", len(next.Values), err)
	}
	e.Close()
}

// TestEvaluationAllocatesNothing counts Go's allocations in an evaluation.
func TestEvaluationAllocatesNothing(t *testing.T) {
	_, d := pretended(t)
	defer d.Close()
	for _, p := range []kernels.Precision{kernels.BF16, kernels.FP32} {
		w, err := d.Load(nntest.Random(nntest.Specs()[2], random.New(1, random.Test)), p)
		if err != nil {
			t.Fatal(err)
		}
		e := cuda.NewEvaluator(w)
		b := e.NewBatch(64)
		b.N = 64
		if n := testing.AllocsPerRun(20, func() { e.Evaluate(b) }); n > 0 {
			t.Errorf("%s: %g allocations", p, n)
		}
		e.Close()
	}
}

// TestMisuse checks that misuse panics.
func TestMisuse(t *testing.T) {
	_, d := pretended(t)
	defer d.Close()
	rng := random.New(1, random.Test)
	weights, err := d.Load(nntest.Random(nntest.Specs()[0], rng), kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(e *cuda.Evaluator, b *nn.Batch){
		"another's batch":   func(e *cuda.Evaluator, b *nn.Batch) { e.Start(&nn.Batch{}) },
		"started twice":     func(e *cuda.Evaluator, b *nn.Batch) { e.Start(b); e.Start(b) },
		"never started":     func(e *cuda.Evaluator, b *nn.Batch) { e.Wait(b) },
		"more than it has":  func(e *cuda.Evaluator, b *nn.Batch) { b.N = 6; e.Start(b) },
		"closed and reused": func(e *cuda.Evaluator, b *nn.Batch) { e.Close(); e.Start(b) },
	} {
		t.Run(name, func(t *testing.T) {
			e := cuda.NewEvaluator(weights)
			b := e.NewBatch(5)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(e, b)
		})
	}
}

// TestOpen checks the errors of opening a device.
func TestOpen(t *testing.T) {
	api := fake.New(nil)
	if _, err := cuda.Open(api, 3, cuda.Options{}); err == nil ||
		err.Error() != "there is no CUDA device 3: this machine has 1" {
		t.Errorf("the error is %v", err)
	}
	api.Fail("Open", 1, errors.New("refused"))
	if _, err := cuda.Open(api, 0, cuda.Options{}); err == nil ||
		err.Error() != "open fake: refused" {
		t.Errorf("the error is %v", err)
	}
	_, d := pretended(t)
	for _, p := range []kernels.Precision{"", "fp64"} {
		if _, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)),
			p); err == nil {
			t.Errorf("%q is a precision", p)
		}
	}
	if err := errors.Join(d.Close(), d.Close()); err != nil {
		t.Error(err)
	}
}
