package trainer

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/run"
)

func pipelined(t *testing.T, set ...string) *Plan {
	return tiny(t, append([]string{"training.cycle=pipelined", "evaluation.every=0"}, set...)...)
}

// TestPipelineResumesFromOtherWeights: a run that began with other weights and is stopped after
// each iteration ends as one that was not.
func TestPipelineResumesFromOtherWeights(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dirs := []string{filepath.Join(root, "whole"), filepath.Join(root, "pieces")}
	for i, dir := range dirs {
		for part := 1 + 3*(1-i); part <= 4; part++ {
			o := options(t, pipelined(t, "training.schedule=constant",
				"warm_start.schedule=constant", fmt.Sprint("training.iterations=", part)), dir)
			if o.Resume = o.Folder.Exists(); !o.Resume {
				other := tiny(t, "seed=9")
				o.Init = &Init{Params: other.NewParams(), From: "elsewhere"}
			}
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	same(t, "stopped after each iteration", dirs[0], dirs[1])
}

// TestPipelineSurvivesEveryFault: the same as of a synchronous cycle.
func TestPipelineSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	testFaults(t, faultPlan(t, "training.cycle=pipelined", "training.iterations=3"))
}

// TestPlaysWhileLearning: games of the next iteration end while an update runs, and those of the
// one after it begin while the last game of the next one is played.
func TestPlaysWhileLearning(t *testing.T) {
	t.Parallel()
	o := options(t, pipelined(t, "selfplay.workers=1", "training.games=40",
		"training.iterations=3"), filepath.Join(t.TempDir(), "run"))
	learning := make(chan struct{}) // closed by the first step
	var ended, during atomic.Int64  // games that ended; those that ended during the first step
	var stepped atomic.Bool
	r := newRunner(&o)
	lock, err := r.folder.Lock("test")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := r.open(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	defer r.updater.Close()
	defer r.events.Close()
	weights, err := r.updater.Weights()
	if err != nil {
		t.Fatal(err)
	}
	r.observeStart()
	first := int64(o.Plan.Config.WarmStart.InitialGames + o.Plan.Config.Training.Games)
	o.Monitor.Counters.OnEnd = func() {
		if ended.Add(1) > first+20 {
			// Half of the next iteration's games wait for the update to begin. By then those of the
			// first one have ended, without which it does not: no game is as long as twenty others.
			select {
			case <-learning:
			case <-time.After(2 * time.Minute):
			}
		}
		select {
		case <-learning:
			if !stepped.Load() {
				during.Add(1)
			}
		default:
		}
	}
	r.updater.OnStep = func(done, all int, _ time.Duration) {
		if stepped.Load() {
			return
		}
		// The first step waits until games of the next iteration have ended: they are not held up.
		close(learning)
		for i := 0; during.Load() < 3 && i < 12_000; i++ {
			time.Sleep(10 * time.Millisecond)
		}
		stepped.Store(true)
	}
	r.source = r.newSource()
	if err := r.source.start(t.Context(), weights, nil); err != nil {
		t.Fatal(err)
	}
	defer r.source.close()
	if err := r.iterate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if during.Load() < 3 {
		t.Errorf("%d games ended while the network learned", during.Load())
	}
}

// TestPipelineTells: events and metrics tell how old networks are and what waits.
func TestPipelineTells(t *testing.T) {
	o := options(t, pipelined(t), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	var before []uint64
	for _, e := range history {
		p := e.Progress
		if p == nil {
			continue
		}
		want := 0.0
		if n := len(before); n > 0 {
			want = float64(before[n-1])
			if n > 1 {
				want -= float64(before[n-2])
			}
		}
		if p.Lag != want || !(p.Reuse > 0) {
			t.Errorf("iteration %d: a lag of %g steps, want %g; %g samples a position",
				e.Iteration, p.Lag, want, p.Reuse)
		}
		before = append(before, p.Steps)
	}
	if lag := testutil.ToFloat64(o.Metrics.Lag); lag == 0 || lag != o.Monitor.Status().Last.Lag {
		t.Errorf("the metrics tell of a lag of %g steps", lag)
	}
	if text := strings.Join(strings.Fields(string(mustJSON(t, o.Monitor.Status().Last))),
		""); !strings.Contains(text, `"lag_steps"`) {
		t.Errorf("the progress does not tell of the lag: %s", text)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPipelineWithoutItsCheckpoint: where the checkpoint before the newest is gone, a run goes on
// and says so.
func TestPipelineWithoutItsCheckpoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(),
		options(t, pipelined(t, "training.iterations=3"), dir)); err != nil {
		t.Fatal(err)
	}
	o := options(t, pipelined(t, "training.iterations=4"), dir)
	if err := o.Folder.On(nil).FS.RemoveAll(filepath.Join(o.Folder.Checkpoints(),
		run.IterationName(2))); err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	list := warnings(t, o)
	if newest(t, dir).Iteration != 4 || len(list) != 1 ||
		!strings.Contains(list[0].Message, "the checkpoint of iteration 2 can't be read") {
		t.Errorf("warnings: %+v", list)
	}
}
