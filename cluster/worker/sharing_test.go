package worker

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/train"
	"tengen/trainer"
)

// emulated opens n emulated devices, which share each training step if there are several.
func emulated(t *testing.T, n int) backend.Measured {
	t.Helper()
	s := backend.Spec{Kind: backend.CUDA, Inference: backend.FP32, Training: backend.FP32}
	for i := range n {
		s.Ordinals = append(s.Ordinals, i)
	}
	if n > 1 {
		s.Train = s.Ordinals
	}
	b, err := cudabackend.New(fake.Ampere(t, n), s, cudabackend.Options{Unchecked: true, Again: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b.(backend.Measured)
}

// stopping is a backend that plays no game before a channel is closed, and calls stop before a
// step.
type stopping struct {
	backend.Measured
	open  <-chan struct{}
	steps atomic.Int64
	at    int64
	stop  func()
}

func (s *stopping) Load(p *nn.Params) (nn.Network, error) {
	n, err := s.Measured.Load(p)
	return &reluctantNetwork{n, s.open}, err
}

func (s *stopping) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	t, err := s.Measured.NewTrainer(p, c)
	if err != nil {
		return nil, err
	}
	return &stoppingTrainer{t.(train.Async), s}, nil
}

type stoppingTrainer struct {
	train.Async
	s *stopping
}

func (t *stoppingTrainer) Start(b *train.Batch) error {
	if t.s.steps.Add(1) == t.s.at {
		t.s.stop()
	}
	return t.Async.Start(b)
}

func (t *stoppingTrainer) Close() { train.Close(t.Async) }

// TestSharedSteps: a run whose devices share training steps, with a worker on a device of its own
// that is killed, and a trainer that is stopped in an update and started anew, ends as one on the
// devices alone, to the bit.
func TestSharedSteps(t *testing.T) {
	t.Parallel()
	testSharedSteps(t, "pipelined", "alphazero")
}

func testSharedSteps(t *testing.T, cycle, algorithm string) {
	plan := func(b backend.Backend) *trainer.Plan {
		p := tiny(t, "game=mnk:rows=2,columns=3,in_row=3", "network.blocks=0", "network.filters=16",
			"network.hidden=1", "training.cycle="+cycle, "algorithm="+algorithm,
			"descent.iterations=1", "search.simulations=2", "training.iterations=3",
			"training.games=4", "training.batch=6", "training.max_steps=2",
			"warm_start.schedule=none", "warm_start.initial_games=0",
			"warm_start.initial_epochs=0")
		p.Backend = b
		return p
	}
	two, root := emulated(t, 2), t.TempDir()
	whole := &box{t: t, plan: plan(two), dir: filepath.Join(root, "alone")}
	if err := whole.train(t.Context()); err != nil {
		t.Fatal(err)
	}
	shared, address := filepath.Join(root, "shared"), "127.0.0.1:0"
	for part := range 2 {
		ctx, stop := context.WithCancel(t.Context())
		opened := make(chan struct{})
		s := &stopping{Measured: two, open: opened, stop: func() {}}
		if part == 0 {
			s.at, s.stop = 4, stop
		}
		b := open(t, shared, address, plan(s))
		u, err := url.Parse(b.url)
		if err != nil {
			t.Fatal(err)
		}
		address = u.Host
		name := []string{"one", "two"}[part]
		device := emulated(t, 1)
		w := startOn(t, func() backend.Backend { return device }, name, dial(t, name, b.url), name,
			b.names)
		go func() {
			defer close(opened)
			// One that is started anew may have all games.
			for end := time.Now().Add(2 * time.Minute); part == 0 && time.Now().Before(end) &&
				ctx.Err() == nil && counted(b) == 0; {
				time.Sleep(time.Millisecond)
			}
		}()
		err = b.train(ctx)
		stop()
		w.kill()
		<-opened
		if part == 0 && (!errors.Is(err, context.Canceled) || counted(b) == 0) ||
			part == 1 && err != nil || len(b.hub.Status().Refused) > 0 {
			t.Errorf("part %d: %v; %d games of the worker count, refused are %v", part, err,
				counted(b), b.hub.Status().Refused)
		}
		b.close()
	}
	if cycle != "asynchronous" {
		same(t, whole.dir, shared)
	} else if n := len(gamesOf(t, shared)); n < 3*4 {
		t.Errorf("it ends with %d games", n)
	}
}
