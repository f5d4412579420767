package cuda_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// full is a context of a device that is never seen to be done before somebody waits.
type full struct{ driver.Context }

func (full) Done(driver.Event) (bool, error) { return false, nil }

// TestPackedRows checks that rows have the same bits alone and in packs with those of other
// evaluators, and that networks are not mixed.
func TestPackedRows(t *testing.T) {
	for _, w := range []way{{kernels.BF16, kernels.MMA}, {kernels.FP32, kernels.Layers}} {
		rng := random.New(3, random.Test)
		spec := nntest.Specs()[0]
		api := fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			func(c driver.Context) driver.Context { return full{c} })
		d, err := cuda.Open(api, 0, cuda.Options{Ways: []kernels.Way{w.w}, Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		const rows, evaluators = 5, 4
		var networks []*cuda.Weights
		var wants []*nn.Batch
		length := spec.Planes * spec.Cells()
		observations := nntest.Observations(spec, rows, rng)
		for range 2 {
			n, err := d.Load(nntest.Random(spec, rng), w.p)
			if err != nil {
				t.Fatal(err)
			}
			networks, wants = append(networks, n), append(wants, evaluate(t, n, rows, observations))
		}
		cuda.FullFrom(networks[0], 1)
		var all sync.WaitGroup
		begun := make(chan struct{})
		started := sync.WaitGroup{}
		started.Add(evaluators)
		for i := range evaluators {
			all.Go(func() {
				e := cuda.NewEvaluator(networks[i%2])
				defer e.Close()
				want, a, b := wants[i%2], e.NewBatch(rows), e.NewBatch(rows)
				for round := range 3 {
					for k, x := range []*nn.Batch{a, b} {
						x.N = 1 + (i+k+round)%(rows-1)
						copy(x.Observations, observations[k*length:(k+x.N)*length])
						e.Start(x)
					}
					if round == 0 { // all are started before anybody waits
						started.Done()
						<-begun
					}
					for k, x := range []*nn.Batch{a, b} {
						if err := e.Wait(x); err != nil {
							t.Error(err)
							return
						}
						if !slices.Equal(x.Policy[:x.N*spec.Actions],
							want.Policy[k*spec.Actions:(k+x.N)*spec.Actions]) ||
							!slices.Equal(x.Values[:x.N*spec.Players],
								want.Values[k*spec.Players:(k+x.N)*spec.Players]) {
							t.Errorf("%s: the rows of a pack have other bits than alone", w.w)
						}
					}
				}
			})
		}
		started.Wait()
		close(begun)
		all.Wait()
		if n := cuda.Packed(networks[0]); n < 2*evaluators-1 {
			t.Errorf("only %d batches were packed", n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPackFailures makes the calls of a pack fail: the batches in it get the error, and everything
// is freed.
func TestPackFailures(t *testing.T) {
	params := nntest.Random(nntest.Specs()[0], random.New(1, random.Test))
	failure := &driver.MemoryError{Wanted: 1 << 30, Free: 1 << 20}
	for _, call := range []string{
		"", "Alloc", "AllocHost", "NewStream", "NewEvent", "CopyIn", "Launch", "CopyOut", "Record",
		"SynchronizeEvent",
	} {
		api := fake.New(nil)
		d, err := cuda.Open(fake.Wrap(api, func(c driver.Context) driver.Context {
			return full{c}
		}), 0, cuda.Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		w, err := d.Load(params, kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		cuda.FullFrom(w, 1)
		cuda.Towers(w, false) // with copies
		var evaluators []*cuda.Evaluator
		var batches []*nn.Batch
		for range 3 {
			e := cuda.NewEvaluator(w)
			evaluators, batches = append(evaluators, e), append(batches, e.NewBatch(4))
		}
		for i, b := range batches {
			if i == 1 && call != "" {
				api.Fail(call, 1, failure)
			}
			b.N = 2
			evaluators[i].Start(b)
		}
		memory := call == "Alloc" || call == "AllocHost" || call == "NewStream" ||
			call == "NewEvent"
		if n := cuda.Packed(w); (n == 0) != memory {
			t.Errorf("%s fails: %d batches were packed", call, n)
		}
		failed := 0
		for i := len(batches) - 1; i >= 0; i-- {
			if err := evaluators[i].Wait(batches[i]); err != nil {
				failed++
				if !errors.As(err, new(*driver.MemoryError)) {
					t.Errorf("%s fails: %v", call, err)
				}
			}
			evaluators[i].Close()
		}
		// A pack that can't be made costs nothing, one that fails has two batches, and the wait
		// that fails first is that for the batch alone.
		want := map[bool]int{true: 0, false: 2}[memory || call == ""]
		if call == "SynchronizeEvent" {
			want = 1
		}
		if failed != want {
			t.Errorf("%s fails: %d batches have an error, want %d", call, failed, want)
		}
		w.Close()
		for _, left := range api.Left() {
			if left != "context 1: open 0x0" && !strings.HasPrefix(left, "context 1: module ") {
				t.Errorf("%s fails: not freed: %s", call, left)
			}
		}
		_ = d.Close()
	}
}
