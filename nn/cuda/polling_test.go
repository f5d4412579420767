package cuda_test

import (
	"errors"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// late is a context whose events are seen to be reached by the question after some.
type late struct {
	driver.Context
	*lateness
}

type lateness struct {
	after, asked, slept int
	err                 error
}

func (l late) Done(driver.Event) (bool, error) {
	l.asked++
	return l.asked > l.after, l.err
}

func (l late) SynchronizeEvent(e driver.Event) error {
	l.slept++
	return l.Context.SynchronizeEvent(e)
}

// TestFewRowsArePolledFor checks for which batches a goroutine asks in place of sleeping, and that
// it sleeps at last.
func TestFewRowsArePolledFor(t *testing.T) {
	failure := errors.New("no answer")
	for _, c := range []struct {
		what                 string
		rows, after          int
		pollers              int32
		polled               time.Duration
		err                  error
		wantAsked, wantSlept int
	}{
		{what: "few rows", rows: 128, after: 3, polled: time.Hour, wantAsked: 4},
		{what: "more rows", rows: 264, after: 3, polled: time.Hour, wantAsked: 4},
		{what: "many rows", rows: 265, after: 3, polled: time.Hour, wantSlept: 1},
		{what: "a full house", rows: 1, pollers: 1000, polled: time.Hour, wantSlept: 1},
		{what: "no time", rows: 1, after: 3, wantAsked: 1, wantSlept: 1},
		{what: "an error", rows: 1, after: 3, polled: time.Hour, err: failure, wantAsked: 1},
	} {
		l := &lateness{after: c.after, err: c.err}
		d, err := cuda.Open(fake.Wrap(fake.New(nil), func(x driver.Context) driver.Context {
			return late{x, l}
		}), 0, cuda.Options{Unchecked: true})
		if err != nil {
			t.Fatal(err)
		}
		back := cuda.PollFor(c.polled)
		cuda.Poll(d, c.pollers)
		w, err := d.Load(nntest.Random(nntest.Specs()[0], random.New(1, random.Test)), kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		e := cuda.NewEvaluator(w)
		b := e.NewBatch(c.rows)
		b.N = c.rows
		if err := e.Evaluate(b); !errors.Is(err, c.err) {
			t.Errorf("%s: error %v", c.what, err)
		}
		if l.asked != c.wantAsked || l.slept != c.wantSlept {
			t.Errorf("%s: asked %d times and slept %d times, want %d and %d",
				c.what, l.asked, l.slept, c.wantAsked, c.wantSlept)
		}
		back()
		e.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
