package trainer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/configs"
)

// TestInit: a new run begins with the averaged weights of another, needs that one
// no more, and resumes from anywhere as it began; what its first network was
// is known as long as it goes on.
func TestInit(t *testing.T) {
	root := t.TempDir()
	first := filepath.Join(root, "first")
	if err := Run(context.Background(), windowed(t, first, "training.iterations=2")); err != nil {
		t.Fatal(err)
	}
	set := []string{
		"warm_start.schedule=none", "warm_start.initial_games=0",
		"checkpoints.keep_last=1", "seed=5",
	}
	begin := func(dir string) Options {
		o := windowed(t, dir, set...)
		o.Plan.PerOctave = 0
		var err error
		if o.Init, err = o.Plan.NewInit(first); err != nil {
			t.Fatal(err)
		}
		return o
	}
	whole, pieces := filepath.Join(root, "whole"), filepath.Join(root, "pieces")
	o := begin(whole)
	average := newest(t, first).Average
	if o.Init.Grown || !strings.Contains(o.Init.From, "000002") ||
		!reflect.DeepEqual(o.Init.Params.Tensors, average.Tensors) {
		t.Fatalf("the run is to begin with %q, grown %v", o.Init.From, o.Init.Grown)
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil || history[0].Kind != "start" || history[0].Init != o.Init.From {
		t.Errorf("%v: the first event is %+v", err, history[0])
	}
	zero, err := o.Folder.On(nil).Store().Load(filepath.Join(o.Folder.Checkpoints(), "000000"))
	if err != nil || zero.Step != 0 || !reflect.DeepEqual(zero.Params.Tensors, average.Tensors) {
		t.Errorf("the run's first checkpoint: %v", err)
	}
	for process := 0; ; process++ {
		o := begin(pieces)
		if o.Resume = process > 0; o.Resume {
			o.Init = nil
			os.Rename(first, first+".gone")
		}
		ctx, cancel := context.WithCancel(context.Background())
		var asked atomic.Int64
		o.Now = func() time.Time {
			if asked.Add(1) == int64(6+9*process) {
				cancel()
			}
			return time.Now()
		}
		err := Run(ctx, o)
		cancel()
		os.Rename(first+".gone", first)
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
	n, err := o.Plan.savedNetwork(o.Folder.On(nil), 0, o.Init.From)
	if err != nil || n == nil || len(list(t, o)) != 2 {
		t.Errorf("its first network: %v; checkpoints %v", err, list(t, o))
	}
}

// list are the iterations whose checkpoints a run keeps.
func list(t *testing.T, o Options) (iterations []int) {
	t.Helper()
	entries, err := o.Folder.On(o.FS).Store().List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		iterations = append(iterations, e.Iteration)
	}
	return iterations
}

// TestInitGrows: a larger network begins as the smaller one, and all of it learns.
func TestInitGrows(t *testing.T) {
	root := t.TempDir()
	first := filepath.Join(root, "first")
	if err := Run(context.Background(), windowed(t, first, "training.iterations=1")); err != nil {
		t.Fatal(err)
	}
	o := windowed(t, filepath.Join(root, "second"), "network.blocks=2", "network.filters=12",
		"network.hidden=10", "training.iterations=2")
	var err error
	if o.Init, err = o.Plan.NewInit(first); err != nil {
		t.Fatal(err)
	}
	if !o.Init.Grown || !strings.Contains(o.Init.From, "1 block × 8 filters") {
		t.Errorf("%+v", o.Init.From)
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c := newest(t, string(o.Folder))
	for i, tensor := range c.Params.Tensors {
		if reflect.DeepEqual(tensor.Data, o.Init.Params.Tensors[i].Data) {
			t.Errorf("%s has learned nothing", tensor.Name)
		}
	}
	for _, x := range []struct {
		set  []string
		want string
	}{
		{[]string{"game=go:size=3,players=3"}, "players: 2, the new network's 3"},
		{[]string{"network.filters=6"}, "can't shrink"},
		{[]string{"algorithm=descent"}, "policy head: conv, the new network's none"},
	} {
		p := windowed(t, "", x.set...).Plan
		if x.want != "" && strings.HasPrefix(x.set[0], "game=") {
			p = tiny(t, x.set...)
		}
		if _, err := p.NewInit(first); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, want %q", x.set, err, x.want)
		}
	}
	if _, err := o.Plan.NewInit(filepath.Join(root, "nothing")); err == nil {
		t.Error("a network that is not there is taken")
	}
}

// TestAdopts: a run that is resumed with another configuration has it from then on,
// keeps the one before by the iterations made with it, and tells what changed.
func TestAdopts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := windowed(t, dir, "training.iterations=1")
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(o.Folder.Config())
	if err != nil {
		t.Fatal(err)
	}
	was := o.Plan.Config
	for _, n := range []string{"2", "3"} {
		o = windowed(t, dir, "training.iterations="+n, "training.learning_rate=0.0007")
		o.Resume, o.Changes = true, configs.Changes(was, o.Plan.Config)
		was = o.Plan.Config
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "config.000001.yaml")); err != nil ||
		string(got) != string(before) {
		t.Errorf("the configuration of the first iteration: %v\n%s", err, got)
	}
	if r, err := configs.Resolve(configs.Options{
		Name: filepath.Join(dir, "config.000002.yaml"),
	}); err != nil || r.Config.Training.Iterations != 2 {
		t.Errorf("the configuration of the second iteration: %v", err)
	}
	now, err := configs.Resolve(configs.Options{Name: o.Folder.Config()})
	if err != nil || now.Config.Training.Iterations != 3 ||
		now.Config.Training.LearningRate != 0.0007 {
		t.Errorf("the run's configuration: %v, %+v", err, now)
	}
	history, err := o.Folder.History()
	var told []int
	for _, e := range history {
		if e.Kind == "resume" {
			told = append(told, len(e.Changes))
		}
	}
	if err != nil || !reflect.DeepEqual(told, []int{2, 1}) {
		t.Errorf("%v: the events of resuming tell of %v changes, want 2, then 1", err, told)
	}
	if c := newest(t, dir); c.Iteration != 3 {
		t.Errorf("the run ends with iteration %d", c.Iteration)
	}
}
