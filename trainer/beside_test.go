package trainer

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/nn/train"
	"tengen/trainer/learn"
)

// patient is a trainer whose steps wait until a batch is encoded beside them, but for the last.
type patient struct {
	train.Trainer
	encoded chan struct{}
	left    int
	fail    int // the step, from 1, that fails; 0: none
	steps   int
}

var errStep = errors.New("a step fails")

func (p *patient) Step(b *train.Batch) (nn.Losses, error) {
	p.steps++
	if p.left--; p.left > 0 {
		select {
		case <-p.encoded:
		case <-time.After(time.Minute):
			return nn.Losses{}, errors.New("no batch is encoded during a step")
		}
	}
	if p.steps == p.fail {
		return nn.Losses{}, errStep
	}
	return p.Trainer.Step(b)
}

// TestNextBatchIsEncodedDuringAStep checks that on a device the next batch is encoded while it
// trains, with the results of the processor to the bit, for magnets too, and that a step that fails
// leaves nothing running.
func TestNextBatchIsEncodedDuringAStep(t *testing.T) {
	set := []string{
		"game=tictactoe", "evaluation.every=0", "training.iterations=1", "replay.held_out=0",
		"training.uniform_magnet=0.5", "training.magnet=0.25", "training.playing=newest",
	}
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(t.Context(), options(t, tiny(t, set...), dir)); err != nil {
		t.Fatal(err)
	}
	list := games(t, dir)
	const steps = 4
	learn := func(device bool, fail int) (*nn.Params, error) {
		p := tiny(t, set...)
		if device {
			p.Backend = new(fake.Device)
		}
		u, err := newUpdater(p, p.NewParams())
		if err != nil {
			t.Fatal(err)
		}
		defer u.Close()
		for _, g := range list {
			if err := u.Window.Add(g); err != nil {
				t.Fatal(err)
			}
		}
		if device {
			x := &patient{
				Trainer: u.Trainer, encoded: make(chan struct{}, steps), left: steps, fail: fail,
			}
			first := true
			u.OnEncoded = func() {
				if !first { // the first batch is encoded before any step
					x.encoded <- struct{}{}
				}
				first = false
			}
			u.Trainer = x
		}
		_, err = u.Through(t.Context(), 1, steps, func(share float64) float64 {
			return (1 + share) / 2
		})
		if err != nil {
			return nil, err
		}
		return u.Trainer.Params()
	}
	want, err := learn(false, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := learn(true, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("other bits than on the processor")
	}
	for fail := 1; fail <= steps; fail++ {
		if _, err := learn(true, fail); !errors.Is(err, errStep) {
			t.Errorf("step %d fails: %v", fail, err)
		}
	}
}

// underWay is a trainer that records the calls for its steps, one of which is refused.
type underWay struct {
	train.Async
	calls   string // S and W: Start and Wait
	refused int    // the Wait, from 1, that returns an error; 0: none
	waits   int
}

func (u *underWay) Start(b *train.Batch) error {
	u.calls += "S"
	return u.Async.Start(b)
}

func (u *underWay) Wait() (nn.Losses, error) {
	u.calls += "W"
	l, err := u.Async.Wait()
	if u.waits++; u.waits == u.refused {
		return l, &train.NotFiniteError{Step: u.waits, What: "the loss is NaN"}
	}
	return l, err
}

// TestStepsUnderWay checks that a device has the next step before the host waits for the last one,
// with the results of the processor to the bit though batches are spoiled when their steps have
// begun, and that an update is undone if a step is refused after another has begun.
func TestStepsUnderWay(t *testing.T) {
	set := []string{"game=tictactoe", "evaluation.every=0", "training.iterations=1"}
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(t.Context(), options(t, tiny(t, set...), dir)); err != nil {
		t.Fatal(err)
	}
	list := games(t, dir)
	const steps = 4
	update := func(device backend.Backend, refused int) (*learn.Result, *nn.Params, string) {
		p := tiny(t, set...)
		p.Backend = device
		u, err := newUpdater(p, p.NewParams())
		if err != nil {
			t.Fatal(err)
		}
		defer u.Close()
		for _, g := range list {
			if err := u.Window.Add(g); err != nil {
				t.Fatal(err)
			}
		}
		var x *underWay
		if a, ok := u.Trainer.(train.Async); ok {
			x = &underWay{Async: a, refused: refused}
			u.Trainer = x
		}
		r, err := u.Through(t.Context(), 1, steps, func(share float64) float64 { return share })
		if err != nil {
			t.Fatal(err)
		}
		params, err := u.Trainer.Params()
		if err != nil {
			t.Fatal(err)
		}
		if x == nil {
			return r, params, ""
		}
		return r, params, x.calls
	}
	want, wantParams, _ := update(backend.NewCPU(), 0)
	got, params, calls := update(new(fake.Device), 0)
	if calls != "SSWSWSWW" {
		t.Errorf("the calls are %s", calls)
	}
	if !reflect.DeepEqual(params, wantParams) || got.Losses != want.Losses ||
		!reflect.DeepEqual(got.HeldOut, want.HeldOut) {
		t.Error("other bits than on the processor")
	}
	first := tiny(t, set...).NewParams()
	for refused, want := range map[int]string{1: "SSW", 3: "SSWSWSW", 4: "SSWSWSWW"} {
		got, params, calls := update(new(fake.Device), refused)
		if got.Dropped == nil ||
			!strings.Contains(got.Dropped.Error(), fmt.Sprintf("training step %d", refused)) {
			t.Errorf("step %d is refused: %v", refused, got.Dropped)
		}
		if calls != want || !reflect.DeepEqual(params, first) {
			t.Errorf("step %d is refused: the calls are %s, want %s; the weights are the first: %v",
				refused, calls, want, reflect.DeepEqual(params, first))
		}
	}
}
