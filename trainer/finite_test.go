package trainer

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/nn"
	"tengen/run"
	"tengen/trainer/learn"
	"tengen/vfs"
)

// wild is a rate of learning with which weights soon overflow.
var wild = []string{"game=tictactoe", "search.simulations=4", "evaluation.every=0",
	"training.max_steps=40", "training.epochs=20",
	"training.optimizer=sgd", "training.grad_clip_norm=0", "training.learning_rate=10",
	"training.warmup_steps=0", "training.schedule=constant",
	"training.value_weight=1000", "training.batch=16"}

// warnings are the run's warnings so far.
func warnings(t *testing.T, o Options) (list []run.Event) {
	t.Helper()
	history, err := o.Folder.On(o.FS).History()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range history {
		if e.Kind == "warning" {
			list = append(list, e)
		}
	}
	return list
}

// TestBadNumbersEndTheRun: updates in which numbers are no longer finite leave the
// network as it was; the third in a row ends the run, with advice. With it the run goes on.
func TestBadNumbersEndTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t, wild...), dir)
	err := Run(context.Background(), o)
	if err == nil {
		t.Fatal("nothing went wrong")
	}
	for _, want := range []string{
		"iteration 3 ", "step ", "training.learning_rate", "--set training.learning_rate=2.5",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	list := warnings(t, o)
	if len(list) != 2 || list[0].Iteration != 1 || list[1].Iteration != 2 ||
		!strings.Contains(list[1].Message, "step ") {
		t.Errorf("warnings %+v, want one for each of two dropped updates", list)
	}
	c := newest(t, dir)
	first := o.Plan.NewParams()
	if c.Iteration != 2 || c.Step != 0 || !reflect.DeepEqual(c.Params.Tensors, first.Tensors) ||
		!reflect.DeepEqual(c.Average.Tensors, first.Tensors) {
		t.Errorf(
			"the checkpoint is of iteration %d, step %d; want the first weights after 2 iterations",
			c.Iteration, c.Step)
	}
	if p := o.Monitor.Status().Last; p != nil {
		t.Errorf("the losses of a dropped update are told: %+v", p)
	}
	if n := len(games(t, dir)); n != 10+3*12 {
		t.Errorf("%d games are kept, want all of 3 iterations", n)
	}

	o = options(t, tiny(t, append(wild, "training.learning_rate=0.0001")...), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatalf("resumed with a lower rate: %v", err)
	}
	if c := newest(t, dir); c.Iteration != 4 || c.Step == 0 {
		t.Errorf("resumed with a lower rate, it ends with iteration %d, step %d",
			c.Iteration, c.Step)
	}
	if list := warnings(t, o); len(list) != 2 {
		t.Errorf("warnings %+v", list)
	}
}

// TestResumeAfterDropped: a run that drops two updates, interrupted at any moment,
// ends as one that was not.
func TestResumeAfterDropped(t *testing.T) {
	set := append(wild, "training.iterations=2")
	root := t.TempDir()
	whole, pieces := filepath.Join(root, "whole"), filepath.Join(root, "pieces")
	o := options(t, tiny(t, set...), whole)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if list := warnings(t, o); len(list) != 2 {
		t.Fatalf("warnings %+v, want two dropped updates", list)
	}
	for process := 0; ; process++ {
		o := options(t, tiny(t, set...), pieces)
		o.Resume = process > 0
		ctx, cancel := context.WithCancel(context.Background())
		var asked atomic.Int64
		o.Now = func() time.Time {
			if asked.Add(1) == int64(9+7*process) {
				cancel()
			}
			return time.Now()
		}
		err := Run(ctx, o)
		cancel()
		if err == nil {
			if process < 3 {
				t.Errorf("the run ended in %d processes", process+1)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	same(t, "interrupted", whole, pieces)
}

// TestPoison: a number of the weights, the average or the solver that is not finite, and one that
// makes the network say such, is found and named, and everything is as it was before
// the update, to the bit.
func TestPoison(t *testing.T) {
	p := tiny(t, "game=tictactoe", "evaluation.every=0", "training.max_steps=3",
		"replay.held_out=0")
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), options(t, p, dir)); err != nil {
		t.Fatal(err)
	}
	list := games(t, dir)
	nan, inf, huge := float32(math.NaN()), float32(math.Inf(-1)), float32(3e38)
	for _, c := range []struct {
		step   int // after which it is done
		tensor string
		value  float32
		want   string
	}{
		{1, "stem.weight", nan, "training step 2: "},
		{3, "stem.weight", nan, "after step 3 number 0 of stem.weight is NaN"},
		{3, "block.0.1.variance", inf, "number 0 of block.0.1.variance is -Inf"},
		{3, "average/value.0.output.bias", inf, "number 0 of average/value.0.output.bias is -Inf"},
		{3, "adam.second/value.1.hidden.weight", nan, "adam.second/value.1.hidden.weight is NaN"},
		{3, "average/policy.weight", huge, "the network's policy for a position is "},
		{3, "average/stem.gamma", huge, "the network's "},
		{3, "", 0, ""},
	} {
		l, err := newUpdater(p, p.NewParams())
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range list {
			if err := l.Window.Add(g); err != nil {
				t.Fatal(err)
			}
		}
		before := remembered(t, l)
		found := false
		l.OnStep = func(done, _ int, _ time.Duration) {
			if done != c.step {
				return
			}
			now := remembered(t, l)
			for _, x := range append(now.Params.Tensors, now.State.Tensors...) {
				if x.Name == c.tensor {
					found = true
					for i := range x.Data {
						x.Data[i] = c.value
					}
				}
			}
			if err := l.Restore(now); err != nil {
				t.Error(err)
			}
		}
		got, err := l.Through(t.Context(), 1, 3, func(share float64) float64 { return share })
		after := remembered(t, l)
		l.Close()
		if c.tensor == "" {
			if err != nil || got.Dropped != nil || after.State.Steps != 3 ||
				reflect.DeepEqual(after.Params, before.Params) {
				t.Errorf("without poison: %v, %v, %d steps", err, got.Dropped, after.State.Steps)
			}
			continue
		}
		if !found || err != nil || got.Dropped == nil ||
			!strings.Contains(got.Dropped.Error(), c.want) {
			t.Errorf("%v in %s (%v): %v, dropped for %v, want %q",
				c.value, c.tensor, found, err, got.Dropped, c.want)
		}
		if !reflect.DeepEqual(after, before) || got.Weights == nil {
			t.Errorf("%v in %s: the updater is not as it was", c.value, c.tensor)
		}
	}
}

// remembered returns a snapshot of an updater.
func remembered(t *testing.T, l *learn.Updater) learn.Snapshot {
	t.Helper()
	m, err := l.Snapshot()
	if err != nil {
		t.Error(err)
	}
	return m
}

// TestResumeWithHugeWeights: a run does not go on with a network whose finite weights overflow. It
// names the network.
func TestResumeWithHugeWeights(t *testing.T) {
	dir := begun(t, 1)
	store := checkpoints.Store{FS: vfs.OS{}, Dir: run.Folder(dir).Checkpoints()}
	c := newest(t, dir)
	// the solver has the average too
	for _, list := range [][]nn.Tensor{c.Params.Tensors, c.Average.Tensors, c.Optimizer} {
		for _, x := range list {
			if strings.HasPrefix(strings.TrimPrefix(x.Name, "average/"), "block.") &&
				strings.HasSuffix(x.Name, ".weight") {
				for i, w := range x.Data {
					x.Data[i] = float32(math.Copysign(3e38, float64(w)))
				}
			}
		}
	}
	path := filepath.Join(store.Dir, checkpoints.Name(c.Iteration))
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(c); err != nil {
		t.Fatal(err)
	}
	if log, err := resume(t, dir); err == nil ||
		!strings.Contains(err.Error(), "network of iteration 2: the network's ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("it goes on: %v\n%s", err, log)
	}
}
