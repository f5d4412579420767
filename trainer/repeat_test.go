package trainer

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
	"tengen/replay/record"
	"tengen/run"
)

// algorithms are runs of each algorithm.
var algorithms = map[string][]string{
	"alphazero": nil,
	"belief": {"game=turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20,history=2",
		"training.belief_weight=0.1", "search.belief=4"},
	"auxiliary": {"training.label_weight=1", "search.fast_simulations=4",
		"search.full_probability=0.5"},
	"descent": {"algorithm=descent", "descent.iterations=2", "descent.terminal=result+depth",
		"descent.explore_end=0.9"},
	"equilibrium": equilibrium,
	"evaluations": limited,
	"gumbel":      {"search.root=gumbel", "training.value_mix=0.5"},
	"resignation": resigning,
	"targets":     targets,
	"terminal": {"algorithm=descent", "descent.iterations=3", "descent.search=ubfm",
		"descent.targets=terminal", "descent.explore_end=0.5"},
}

// ahead are the algorithms whose runs differ in a pipelined cycle.
var ahead = map[string][]string{
	"alphazero":   nil,
	"belief":      {"game=kuhn", "training.belief_weight=1", "search.belief=8"},
	"descent":     algorithms["descent"],
	"equilibrium": equilibrium,
	"evaluations": limited,
	"resignation": resigning,
	"targets":     targets,
}

// small makes a run smaller that is made many times.
func small(set ...string) []string {
	return append([]string{
		"training.games=9", "training.batch=16", "training.max_steps=5", "search.simulations=8",
		"warm_start.initial_games=8", "warm_start.simulations=8", "replay.games=24",
		"evaluation.games=1",
	}, set...)
}

// TestRunsRepeat: for every algorithm, a run of a synchronous or a pipelined cycle is the same to
// the bit with other workers, without a cache and without evaluations, and interrupted at any
// moment, again and again; with another seed it is not. In a pipelined cycle games are played with
// the network before the newest.
func TestRunsRepeat(t *testing.T) {
	t.Parallel()
	for cycle, list := range map[string]map[string][]string{
		"synchronous": algorithms, "pipelined": ahead,
	} {
		for name, set := range list {
			// Under the race detector those that differ in their goroutines.
			if testing.Short() && name != "alphazero" && cycle+name != "pipelineddescent" {
				continue
			}
			t.Run(cycle+"/"+name, func(t *testing.T) {
				testRepeats(t, cycle, small(append([]string{"training.cycle=" + cycle,
					"training.iterations=3"}, set...)...))
			})
		}
	}
}

func testRepeats(t *testing.T, cycle string, set []string) {
	root := t.TempDir()
	train := func(name string, more ...string) string {
		dir := filepath.Join(root, name)
		o := options(t, tiny(t, slices.Concat(set, more)...), dir)
		o.Plan.Train.Workers = o.Plan.Config.SelfPlay.Workers
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	whole := train("whole", "selfplay.workers=1")
	c := newest(t, whole)
	if c.Iteration < 3 || c.Step == 0 || len(games(t, whole)) < 8+3*9 {
		t.Errorf("it ends with iteration %d, step %d, %d games", c.Iteration, c.Step,
			len(games(t, whole)))
	}
	same(t, "five workers, without a cache and evaluations", whole,
		train("workers", "selfplay.workers=5", "selfplay.cache_mib=0", "evaluation.every=0"))
	other := newest(t, train("seed", "seed=2", "selfplay.workers=1", "evaluation.every=0"))
	if reflect.DeepEqual(c.Params.Tensors, other.Params.Tensors) {
		t.Error("another seed gives the same network")
	}
	pieces := filepath.Join(root, "pieces")
	testResume(t, set, pieces)
	same(t, "interrupted", whole, pieces)
	if cycle != "pipelined" {
		return
	}
	// The first two iterations are played with the first network, the others with that before the
	// newest.
	steps := map[int]uint64{}
	for i := 1; i <= c.Iteration; i++ {
		saved, err := run.Folder(whole).On(nil).Store().Load(run.Folder(whole).Checkpoint(i))
		if err != nil {
			t.Fatal(err)
		}
		steps[i] = saved.Step
	}
	for _, g := range games(t, whole) {
		for _, s := range g.Seats {
			if s.Kind == record.Network && s.Step != steps[max(0, g.Iteration-1)] {
				t.Fatalf("game %d of iteration %d is played with the network of step %d; after the iterations there are %v", g.Number, g.Iteration, s.Step, steps)
			}
		}
	}
}

// testResume makes a run that is interrupted at any moment, again and again.
func testResume(t *testing.T, set []string, dir string) {
	processes := 0
	for done := false; !done; processes++ {
		if processes > 100 {
			t.Fatal("the run does not end")
		}
		o := options(t, tiny(t, set...), dir)
		o.Resume = processes > 0
		ctx, cancel := context.WithCancel(context.Background())
		// The run asks for the time after each game and at each stage: it is
		// interrupted at the nth time, a little later in each process.
		late := max(0, processes-8)
		at := int64(5 + 3*processes + late*late)
		var asked atomic.Int64
		o.Now = func() time.Time {
			if asked.Add(1) == at {
				cancel()
			}
			return time.Now()
		}
		err := Run(ctx, o)
		cancel()
		if done = err == nil; !done && !errors.Is(err, context.Canceled) {
			t.Fatalf("process %d: %v", processes, err)
		}
	}
	if processes < 8 {
		t.Fatalf("the run ended in %d processes: it was hardly interrupted", processes)
	}
}

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
					return plan(t, small(append(slices.Clone(set), "training.iterations=3")...)...)
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
			Backend: p.device(), at: 1 + int64(process)*(1+all.calls.Load()/8), cancel: cancel,
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
