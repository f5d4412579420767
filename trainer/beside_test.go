package trainer

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend/backendtest"
	"tengen/nn/train"
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
			p.Backend = new(backendtest.Device)
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
