package backend_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/nn/nntest"
)

// filled returns a batch of an evaluator with random observations in n of its rows.
func filled(e nn.Evaluator, capacity, n int, rng *rand.Rand) *nn.Batch {
	b := e.NewBatch(capacity)
	for i := range b.Observations {
		b.Observations[i] = rng.Float32()
	}
	b.N = n
	return b
}

// expect checks a batch against the processor's results.
func expect(t *testing.T, p *nn.Params, b *nn.Batch) {
	t.Helper()
	e := nn.NewEvaluator(nn.Fold(p))
	want := e.NewBatch(b.N)
	want.N = b.N
	copy(want.Observations, b.Observations)
	if err := e.Evaluate(want); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(want.Values, b.Values[:len(want.Values)]) ||
		len(b.Policy) > 0 && !slices.Equal(want.Policy, b.Policy[:len(want.Policy)]) {
		t.Error("wrong results")
	}
}

// TestFallback: a network goes on on the processor once its device is lost, batches in flight
// included. One line says so, however many networks there are.
func TestFallback(t *testing.T) {
	for _, spec := range nntest.Specs() {
		rng := rand.New(rand.NewPCG(1, 2))
		p := nntest.Random(spec, rng)
		d := &fake.Device{LostAfterBatches: 3}
		var reported []error
		f := backend.NewFallback(d, func(err error) { reported = append(reported, err) })
		n, err := f.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		other, err := f.Load(p)
		if err != nil || other == n {
			t.Fatalf("a second network: %v", err)
		}
		e := n.NewEvaluator()
		for i := range 2 {
			b := filled(e, 5, 4, rng)
			if err := e.Evaluate(b); err != nil {
				t.Fatal(err)
			}
			expect(t, p, b)
			if all, _ := d.Batches(); all != int64(i+1) {
				t.Errorf("%d batches on the device after %d", all, i+1)
			}
		}
		// The first of these is the device's last, the second is lost in flight.
		async := e.(nn.Async)
		first, second := filled(e, 5, 5, rng), filled(e, 3, 1, rng)
		async.Start(first)
		async.Start(second)
		if err := errors.Join(async.Wait(first), async.Wait(second)); err != nil {
			t.Fatal(err)
		}
		expect(t, p, first)
		expect(t, p, second)
		if len(reported) != 1 || !backend.Lost(reported[0]) {
			t.Errorf("reported: %v", reported)
		}
		// Neither this evaluator nor another network nor a new one uses the device again.
		later, err := f.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []nn.Evaluator{
			e, n.NewEvaluator(), other.NewEvaluator(), later.NewEvaluator(),
		} {
			b := filled(e, 2, 2, rng)
			if err := e.Evaluate(b); err != nil {
				t.Fatal(err)
			}
			expect(t, p, b)
		}
		if all, _ := d.Batches(); all != 4 || len(reported) != 1 {
			t.Errorf("%d batches on the device, %d reports", all, len(reported))
		}
		async.Close()
		if d.Open() != 0 {
			t.Errorf("%d evaluators are left open", d.Open())
		}
	}
}

// TestFallbackWhenFull: a network that the device has no room for is refused, unless the device is
// lost.
func TestFallbackWhenFull(t *testing.T) {
	p := nntest.Random(nntest.Specs()[0], rand.New(rand.NewPCG(1, 2)))
	for _, c := range []struct {
		err     error
		reports int
	}{{errors.New("out of memory"), 0}, {fake.Lost, 1}} {
		var reported []error
		f := backend.NewFallback(&fake.Device{Refuses: c.err}, func(err error) {
			reported = append(reported, err)
		})
		for range 2 {
			n, err := f.Load(p)
			if _, host := n.(*nn.Weights); host != (c.reports > 0) || (err == nil) != host ||
				err != nil && err != c.err {
				t.Errorf("%v: %T, %v", c.err, n, err)
			}
		}
		if len(reported) != c.reports {
			t.Errorf("%v: reported: %v", c.err, reported)
		}
	}
}

// TestFallbackOnCPU: on the processor there is nothing to fall back from.
func TestFallbackOnCPU(t *testing.T) {
	p := nntest.Random(nntest.Specs()[0], rand.New(rand.NewPCG(1, 2)))
	n, err := backend.NewFallback(backend.NewCPU(), nil).Load(p)
	if _, ok := n.(*nn.Weights); err != nil || !ok {
		t.Errorf("%T, %v", n, err)
	}
}
