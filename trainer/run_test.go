package trainer

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/checkpoints"
	"tengen/configs"
	_ "tengen/game/all"
	"tengen/metrics"
	"tengen/replay"
)

// tiny is a run of seconds.
func tiny(t *testing.T, set ...string) *Plan {
	t.Helper()
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: append([]string{
		"game=go:size=3,players=3", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=12", "warm_start.simulations=12", "warm_start.initial_games=10",
		"training.iterations=4", "training.games=12", "training.batch=32", "training.max_steps=6", "training.warmup_steps=2",
		"training.average=0.9", "replay.games=30", "replay.held_out=0.2",
		"evaluation.every=2", "evaluation.games=3", "evaluation.simulations=8", "selfplay.slate=4", "selfplay.cache_mib=1",
		"checkpoints.keep_last=9", "metrics.address=",
	}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func options(t *testing.T, p *Plan, dir string) Options {
	t.Helper()
	return Options{
		Plan: p, Folder: Folder(dir), Monitor: new(Monitor), Metrics: metrics.New(nil),
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

// newest is the run's newest checkpoint.
func newest(t *testing.T, dir string) *checkpoints.Checkpoint {
	t.Helper()
	c, passed, err := checkpoints.Latest(Folder(dir).Checkpoints())
	if err != nil || len(passed) > 0 {
		t.Fatalf("newest checkpoint of %s: %v, passed over %v", dir, err, passed)
	}
	return c
}

// same compares two runs' networks, solvers and games to the bit.
func same(t *testing.T, what, a, b string) {
	t.Helper()
	x, y := newest(t, a), newest(t, b)
	if x.Iteration != y.Iteration || x.Step != y.Step {
		t.Errorf("%s: iteration %d, step %d against %d, %d", what, x.Iteration, x.Step, y.Iteration, y.Step)
	}
	if !reflect.DeepEqual(x.Params.Tensors, y.Params.Tensors) {
		t.Errorf("%s: the networks differ", what)
	}
	if !reflect.DeepEqual(x.Average.Tensors, y.Average.Tensors) {
		t.Errorf("%s: the averaged networks differ", what)
	}
	if !reflect.DeepEqual(x.Optimizer, y.Optimizer) {
		t.Errorf("%s: the solvers differ", what)
	}
	if !reflect.DeepEqual(games(t, a), games(t, b)) {
		t.Errorf("%s: the games differ", what)
	}
}

func games(t *testing.T, dir string) []*replay.Game {
	t.Helper()
	list, damages, err := replay.Load(osFS, Folder(dir).Replay(), 1<<40, 1<<20)
	if err != nil || len(damages) > 0 {
		t.Fatalf("games of %s: %v, damaged %v", dir, err, damages)
	}
	return list
}

func TestDeterministic(t *testing.T) {
	root := t.TempDir()
	dirs := []string{filepath.Join(root, "one"), filepath.Join(root, "again"), filepath.Join(root, "workers")}
	for i, set := range [][]string{{"selfplay.workers=1"}, {"selfplay.workers=1", "selfplay.cache_mib=0"}, {"selfplay.workers=3"}} {
		if err := Run(context.Background(), options(t, tiny(t, set...), dirs[i])); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(games(t, dirs[0])); n != 10+4*12 {
		t.Errorf("%d games, want 58", n)
	}
	if c := newest(t, dirs[0]); c.Iteration != 4 || c.Step == 0 {
		t.Errorf("the last checkpoint is of iteration %d, step %d", c.Iteration, c.Step)
	}
	same(t, "the same run again, without a cache", dirs[0], dirs[1])
	same(t, "three workers", dirs[0], dirs[2])
	other := filepath.Join(root, "seed")
	if err := Run(context.Background(), options(t, tiny(t, "seed=2"), other)); err != nil {
		t.Fatal(err)
	}
	if reflect.DeepEqual(newest(t, dirs[0]).Params.Tensors, newest(t, other).Params.Tensors) {
		t.Error("another seed gives the same network")
	}
}

// TestResume: a run that is interrupted at any moment, again and again, ends as
// one that was not.
func TestResume(t *testing.T) {
	root := t.TempDir()
	whole, pieces := filepath.Join(root, "whole"), filepath.Join(root, "pieces")
	if err := Run(context.Background(), options(t, tiny(t), whole)); err != nil {
		t.Fatal(err)
	}
	sittings := 0
	for done := false; !done; sittings++ {
		if sittings > 100 {
			t.Fatal("the run does not end")
		}
		o := options(t, tiny(t), pieces)
		o.Resume = sittings > 0
		ctx, cancel := context.WithCancel(context.Background())
		// The run asks for the time after each game and at each stage: it is
		// interrupted at the nth time, a little later in each sitting.
		var asked atomic.Int64
		o.Now = func() time.Time {
			if asked.Add(1) == int64(5+3*sittings) {
				cancel()
			}
			return time.Now()
		}
		err := Run(ctx, o)
		cancel()
		if done = err == nil; !done && !errors.Is(err, context.Canceled) {
			t.Fatalf("sitting %d: %v", sittings, err)
		}
	}
	if sittings < 8 {
		t.Fatalf("the run ended in %d sittings: it was hardly interrupted", sittings)
	}
	same(t, "interrupted", whole, pieces)
}

// TestCountsLookups: what the cache does is told in the metrics and in the
// progress of an iteration; without a cache nothing is.
func TestCountsLookups(t *testing.T) {
	for _, mib := range []string{"0", "1"} {
		o := options(t, tiny(t, "training.iterations=1", "selfplay.cache_mib="+mib), filepath.Join(t.TempDir(), "run"))
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		c, p := &o.Monitor.Counters, o.Monitor.Status().Last
		lookups, hits := testutil.ToFloat64(o.Metrics.CacheLookups), testutil.ToFloat64(o.Metrics.CacheHits)
		if lookups != float64(c.Lookups.Load()) || hits != float64(c.CacheHits.Load()) {
			t.Errorf("%s MiB: the metrics tell of %v lookups, %v hits; counted are %d, %d", mib, lookups, hits, c.Lookups.Load(), c.CacheHits.Load())
		}
		switch {
		case mib == "0" && (lookups != 0 || p.CacheHits != nil):
			t.Errorf("%v lookups without a cache; the progress tells %v", lookups, p.CacheHits)
		case mib == "1" && (hits == 0 || p.CacheHits == nil || *p.CacheHits != hits/lookups):
			t.Errorf("%v hits of %v lookups; the progress tells %v", hits, lookups, p.CacheHits)
		case mib == "1" && !slices.ContainsFunc(logIteration(1, 1, p), func(x any) bool { return x == "cache_hits" }):
			t.Error("the log line of an iteration does not tell of hits")
		}
	}
}

func TestRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := tiny(t, "training.iterations=1")
	if err := Run(context.Background(), options(t, p, dir)); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), options(t, p, dir)); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("a second run in the same folder: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), options(t, p, other)); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with something else in it: %v", err)
	}
	o := options(t, tiny(t, "game=tictactoe"), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "mnk") {
		t.Errorf("resuming with another game: %v", err)
	}
}

func TestPace(t *testing.T) {
	var p pace
	start := time.Unix(1000, 0)
	if left := p.left(0, 10, start); left != 0 {
		t.Errorf("after the first iteration %v are left; nothing is known yet", left)
	}
	if left := p.left(1, 10, start.Add(3*time.Second)); left != 24*time.Second {
		t.Errorf("%v are left, want 8 iterations of 3 s", left)
	}
	if left := p.left(3, 10, start.Add(12*time.Second)); left != 24*time.Second {
		t.Errorf("%v are left, want 6 iterations of 4 s", left)
	}
}
