package trainer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
	"tengen/run"
)

// counting is the processor. It counts what is trained, and ends a context at a moment of a run.
type counting struct {
	backend.Backend
	at     int64 // step, or batch of held-out losses, during which it ends the context; 0: never
	cancel context.CancelFunc
	calls  atomic.Int64 // steps and batches of held-out losses
	after  atomic.Int64 // of these, those that began after the context's end
	ended  atomic.Bool
	onCall func() // if not nil, called with each of calls
}

func (c *counting) NewTrainer(p *nn.Params, config train.Config) (train.Trainer, error) {
	t, err := c.Backend.NewTrainer(p, config)
	return &countingTrainer{t, c}, err
}

func (c *counting) count() {
	if c.onCall != nil {
		c.onCall()
	}
	if c.ended.Load() {
		c.after.Add(1)
	}
	if c.calls.Add(1) == c.at {
		c.ended.Store(true)
		c.cancel()
	}
}

type countingTrainer struct {
	train.Trainer
	counting *counting
}

func (t *countingTrainer) Step(b *train.Batch) (nn.Losses, error) {
	t.counting.count()
	return t.Trainer.Step(b)
}

func (t *countingTrainer) Losses(b *train.Batch) (nn.Losses, error) {
	t.counting.count()
	return t.Trainer.Losses(b)
}

func (t *countingTrainer) Close() { train.Close(t.Trainer) }

// TestInterruptedUpdates: a run that is asked to stop during a training step, or while held-out
// losses are computed, makes no further one. Resumed, it makes the update again, and ends as one
// that was not interrupted, to the bit.
func TestInterruptedUpdates(t *testing.T) {
	t.Parallel()
	cycles := map[string]func(*testing.T, ...string) *Plan{
		"synchronous": tiny, "pipelined": pipelined, "asynchronous": asynchronous,
	}
	for name, plan := range cycles {
		for algorithm, set := range map[string][]string{
			"alphazero": nil, "descent": algorithms["descent"], "magnet": algorithms["equilibrium"],
		} {
			if testing.Short() && algorithm != "alphazero" {
				continue
			}
			t.Run(name+"/"+algorithm, func(t *testing.T) {
				testInterruptedUpdates(t, name, func() *Plan {
					return plan(t, append(slices.Clone(set), "training.iterations=3")...)
				})
			})
		}
	}
}

func testInterruptedUpdates(t *testing.T, cycle string, plan func() *Plan) {
	root := t.TempDir()
	whole, pieces := filepath.Join(root, "whole"), filepath.Join(root, "pieces")
	p := plan()
	all := &counting{Backend: p.device()}
	p.Backend = all
	if err := Run(context.Background(), options(t, p, whole)); err != nil {
		t.Fatal(err)
	}
	interrupted := 0
	for process := 0; ; process++ {
		if process > 100 {
			t.Fatal("the run does not end")
		}
		p := plan()
		ctx, cancel := context.WithCancel(context.Background())
		// A little later in each process, so that the run gets on.
		c := &counting{
			Backend: p.device(), at: 1 + int64(process)*(1+all.calls.Load()/20), cancel: cancel,
		}
		p.Backend = c
		o := options(t, p, pieces)
		o.Resume = process > 0
		err := Run(ctx, o)
		cancel()
		if n := c.after.Load(); n > 0 {
			t.Errorf("process %d: %d steps or batches after the end of the context", process, n)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("process %d: %v", process, err)
		}
		if s := o.Monitor.Status(); s.State != run.Stopped ||
			s.Message != run.StoppedAfter(s.Iteration, 3) {
			t.Errorf("process %d ends as %s: %q", process, s.State, s.Message)
		}
		interrupted++
	}
	if interrupted < 3 {
		t.Errorf("it was interrupted %d times; it takes %d steps", interrupted, all.calls.Load())
	}
	if cycle == "asynchronous" { // whose games depend on when networks come
		if c := newest(t, pieces); c.Iteration != 3 {
			t.Errorf("it ends after iteration %d", c.Iteration)
		}
		return
	}
	same(t, "interrupted", whole, pieces)
}
