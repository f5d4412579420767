package trainer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/configs"
	"tengen/replay/window"
)

// resigning is a run in which players resign.
var resigning = []string{"game=go:size=3,players=3,reward=win", "training.label_weight=1",
	"resignation.false_positives=0.4"}

// TestResignation: the threshold is the one that the window gives, it counts for the games of the
// next iteration, and log, events and metrics tell of it; in all cycles.
func TestResignation(t *testing.T) {
	t.Parallel()
	for cycle, iterations := range map[string]int{
		"synchronous": 7, "pipelined": 7, "asynchronous": 3,
	} {
		var log bytes.Buffer
		plan := tiny(t, append(resigning, "training.cycle="+cycle, "evaluation.every=0",
			fmt.Sprint("training.games=", 70/iterations),
			fmt.Sprint("training.iterations=", iterations), "search.simulations=6",
			"warm_start.schedule=none", "warm_start.initial_games=0", "training.label_weight=0",
			"selfplay.workers=1")...)
		o := options(t, plan, filepath.Join(t.TempDir(), "run"))
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		thresholds, resigned, able := map[float32]bool{0: true}, 0, 0
		for i := range iterations {
			c, err := o.Folder.On(nil).Store().Load(o.Folder.Checkpoint(i + 1))
			if err != nil {
				t.Fatal(err)
			}
			var s State
			if err := json.Unmarshal(c.State, &s); err != nil {
				t.Fatal(err)
			}
			thresholds[s.Resignation.Threshold] = true
		}
		w, err := window.New(plan.Game, window.Config{Capacity: 30, Seed: plan.Config.Seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range taught(t, string(o.Folder), newest(t, string(o.Folder))) {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
			if !thresholds[g.Resign] {
				t.Errorf("%s: in game %d players resign below %v; the checkpoints have %v",
					cycle, g.Number, g.Resign, thresholds)
			}
			if g.Resign > 0 {
				able++
			}
			if g.Resigned {
				resigned++
			}
		}
		if resigned == 0 && cycle != "asynchronous" { // there it depends on time
			t.Errorf("%s: %d games ended by resignation of %d in which players could resign",
				cycle, resigned, able)
		}
		p := o.Monitor.Status().Last.Resignation
		want := w.CalibrateResign(0.4, plan.MostResign)
		if p == nil || float32(p.Threshold) != want.Threshold || p.Games != want.Games ||
			p.Resigned != want.Resigned || p.False != want.False {
			t.Errorf("%s: %+v is told, the window gives %+v", cycle, p, want)
		}
		if n := testutil.ToFloat64(o.Metrics.GamesResigned); n < float64(resigned) ||
			testutil.ToFloat64(o.Metrics.FalseResignations) != want.Rate() {
			t.Errorf("%s: metrics tell of %v games, there are %d", cycle, n, resigned)
		}
		if text := log.String(); !strings.Contains(text, " resigned=") ||
			cycle != "asynchronous" &&
				(!strings.Contains(text, " resign_below=") || !strings.Contains(text, " false=")) {
			t.Errorf("%s: the log does not tell of resignations:\n%s", cycle, log.String())
		}
	}
}

// Where a result is more than a win nobody can resign.
func TestResignationIsRefused(t *testing.T) {
	r, err := configs.Resolve(configs.Options{
		Name: "quick", Set: []string{"resignation.false_positives=0.05"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(&r.Config); err == nil ||
		!strings.Contains(err.Error(),
			"resignation.false_positives=0.05: 0 is wanted: a player of go:size=5,players=3") {
		t.Error(err)
	}
}
