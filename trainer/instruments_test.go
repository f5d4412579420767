package trainer

import (
	"context"
	"log/slog"
	"math"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/game"
	"tengen/metrics"
	"tengen/replay/record"
	"tengen/run"
)

// served are the metrics as they are served: each series with its labels.
func served(t *testing.T, m *metrics.Metrics) map[string]float64 {
	t.Helper()
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != 200 {
		t.Fatalf("/metrics answers %d: %s", answer.Code, answer.Body)
	}
	got := map[string]float64{}
	for line := range strings.Lines(answer.Body.String()) {
		i := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || i < 0 {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(line[i:]), 64)
		if err != nil {
			t.Fatal(err)
		}
		got[line[:i]] = v
	}
	return got
}

// rare are series that a sound short run does not move.
var rare = []string{
	"tengen_bad_updates_total", "tengen_evaluation_skipped_total", "tengen_write_failures_total",
	"tengen_waiting_for_disk", "tengen_stalled",
	"tengen_searches_capped_total", "tengen_stage_in_progress", "tengen_games_running",
	"tengen_outcomes_total",
	// Of other cycles, and of games with hidden facts.
	"tengen_selfplay_wait_seconds_total", "tengen_network_lag_steps",
	"tengen_belief_calibration_error",
	// Of runs with workers on other machines.
	"tengen_cluster_workers", "tengen_cluster_evaluations_per_second", "tengen_cluster_games_given",
	"tengen_cluster_games_early",
	"tengen_cluster_games_total", "tengen_cluster_late_games_total", "tengen_cluster_refused_total",
	"tengen_cluster_queue_messages", "tengen_cluster_queue_bytes",
	"tengen_cluster_redelivered_total",
	"tengen_cluster_match_games_total", "tengen_cluster_blocks_again_total",
	"tengen_cluster_stalled",
	// Descent's and the others'.
	"tengen_searches_resolved_total", "tengen_game_tree_states",
	// Of a device that the machine may not have.
	"tengen_gpu_utilization_ratio", "tengen_gpu_memory_used_bytes", "tengen_gpu_memory_total_bytes",
	"tengen_gpu_power_watts", "tengen_gpu_temperature_celsius", "tengen_gpu_lost",
	"tengen_gpu_losses_total",
	// TestResignation has them.
	"tengen_games_resigned_total", "tengen_resignation_threshold", "tengen_resignation_false_ratio",
}

// TestRunMovesItsMetrics: a run with fast searches and held-out games moves all but the
// rare ones, and they agree with each other and with what the run says of itself.
func TestRunMovesItsMetrics(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	p := tiny(t, append([]string{
		"training.iterations=3", "replay.games=60", "replay.held_out=0.5", "training.batch=16",
		"search.fast_simulations=4", "search.full_probability=0.5", "training.value_mix=0.5",
	}, heads...)...)
	o := options(t, p, dir)
	o.Metrics = metrics.New(&metrics.Options{Run: run.Folder(dir).Name(), Folder: dir})
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	got := served(t, o.Metrics)
	moved := map[string]bool{}
	for name, v := range got {
		if !strings.Contains(name, `run="mine"`) && !strings.HasPrefix(name, "promhttp_") {
			t.Errorf("%s does not bear the run's name", name)
		}
		family, _, _ := strings.Cut(name, "{")
		if v != 0 {
			moved[family] = true
		}
	}
	still := map[string]bool{}
	for _, name := range rare {
		still[name] = true
	}
	for _, f := range metrics.Contract() {
		name := f.Name
		if f.Type == "histogram" {
			name += "_count"
		}
		if strings.HasPrefix(name, "tengen_") && !moved[name] && !still[f.Name] {
			t.Errorf("%s does not move", name)
		}
	}

	m, status, c := o.Metrics, o.Monitor.Status(), &o.Monitor.Counters
	last := status.Last
	for name, v := range map[string][2]float64{
		"steps":       {testutil.ToFloat64(m.Steps), float64(last.Steps)},
		"samples":     {testutil.ToFloat64(m.Samples), 16 * float64(last.Steps)},
		"newest step": {testutil.ToFloat64(m.NewestStep), float64(last.Steps)},
		"simulations": {testutil.ToFloat64(m.Simulations), float64(c.Simulations.Load())},
		"searches": {
			testutil.ToFloat64(m.FullSearches) + testutil.ToFloat64(m.FastSearches),
			float64(c.Decisions.Load()),
		},
		"games":           {testutil.ToFloat64(m.GamesFinished), float64(last.Games)},
		"games begun":     {testutil.ToFloat64(m.GamesStarted), float64(last.Games)},
		"games under way": {testutil.ToFloat64(m.GamesRunning), 0},
		"accuracy": {testutil.ToFloat64(m.Training.PolicyAccuracy),
			last.Losses.PolicyAccuracy},
		"held-out entropy": {testutil.ToFloat64(m.HeldOut.PolicyEntropy),
			last.HeldOut.PolicyEntropy},
		"calibration": {testutil.ToFloat64(m.HeldOut.Calibration),
			last.HeldOut.Calibration.Error()},
		"weight norm": {testutil.ToFloat64(m.WeightNorm), last.Losses.WeightNorm},
		// All that entered is there still: the window is large enough.
		"new positions": {testutil.ToFloat64(m.NewPositions), float64(last.Positions)},
	} {
		if v[0] != v[1] {
			t.Errorf("%s: %v, want %v", name, v[0], v[1])
		}
	}
	seats := 0.0
	for name, v := range got {
		if strings.HasPrefix(name, "tengen_outcomes_total") {
			seats += v
		}
	}
	if want := 3 * float64(last.Games); seats != want {
		t.Errorf("%v outcomes of seats, want %v", seats, want)
	}
	for seat, points := range status.Strength.Points {
		name := `{run="mine",seat="` + game.SeatNames(p.Game)[seat] + `"}`
		if got["tengen_evaluation_points"+name] != points ||
			got["tengen_evaluation_anchor_points"+name] != status.Strength.Baseline[seat] ||
			math.Abs(got["tengen_evaluation_points_high"+
				name]-points-float64(status.Strength.CI[seat])) > 1e-9 {
			t.Errorf("the points %s: want %v ± %v, UCT's %v",
				name, points, status.Strength.CI[seat], status.Strength.Baseline[seat])
		}
	}

	// A process that goes on knows at once where the run stands.
	again := options(t, p, dir)
	again.Resume = true
	stopped, stop := context.WithCancel(context.Background())
	stop()
	_ = Run(stopped, again)
	m = again.Metrics
	for name, v := range map[string][2]float64{
		"iteration":   {testutil.ToFloat64(m.Iteration), 3},
		"newest step": {testutil.ToFloat64(m.NewestStep), float64(last.Steps)},
		"window":      {testutil.ToFloat64(m.ReplayPositions), float64(last.Positions)},
		"steps":       {testutil.ToFloat64(m.Steps), 0}, // of this process
		"loss":        {testutil.ToFloat64(m.Training.Total), last.Losses.Total},
		"cells":       {testutil.ToFloat64(m.HeldOut.Cells), last.HeldOut.Cells},
		"seats":       {testutil.ToFloat64(m.HeldOut.Seats), last.HeldOut.Seats},
		"calibration": {testutil.ToFloat64(m.HeldOut.Calibration), last.HeldOut.ValueCalibration},
		"rating":      {testutil.ToFloat64(m.Rating.Estimate), status.Strength.Rating},
		"evaluated":   {testutil.ToFloat64(m.EvaluationIteration), 3},
	} {
		if v[0] != v[1] {
			t.Errorf("resumed: %s: %v, want %v", name, v[0], v[1])
		}
	}
}

// TestFullDiskIsTold: while a run waits for room on its disk its metrics say so,
// and each attempt that fails is counted.
func TestFullDiskIsTold(t *testing.T) {
	m := metrics.New(nil)
	attempts := 0
	p := &diskRetrier{
		monitor: new(Monitor), metrics: m, log: slog.New(slog.DiscardHandler), now: time.Now,
		warn: func(string) {},
		sleep: func(context.Context, time.Duration) error {
			if testutil.ToFloat64(m.WaitingForDisk) != 1 {
				t.Error("the metrics do not say that the run waits")
			}
			return nil
		},
	}
	if _, err := p.write(context.Background(), piece{name: "it"}, func() error {
		if attempts++; attempts < 4 {
			return syscall.ENOSPC
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if failed, waits := testutil.ToFloat64(m.WriteFailures),
		testutil.ToFloat64(m.WaitingForDisk); failed != 3 || waits != 0 {
		t.Errorf("%v writes have failed, want 3; waiting: %v", failed, waits)
	}
}

// TestGamesAreObserved: only games of Descent have trees, whose states are counted.
func TestGamesAreObserved(t *testing.T) {
	m := metrics.New(nil)
	observeGame(m, &record.Game{Moves: make([]record.Move, 3)})
	observeGame(m, &record.Game{Moves: []record.Move{{}, {Value: []float32{1, 0}}},
		Resigned: true,
		Trees:    []record.Tree{{Depths: make([]int32, 5)}, {Depths: make([]int32, 2)}}})
	got := served(t, m)
	for name, want := range map[string]float64{
		"tengen_games_finished_total": 2, "tengen_games_resigned_total": 1,
		"tengen_game_plies_sum":  5,
		"tengen_positions_total": 1, "tengen_game_tree_states_count": 1,
		"tengen_game_tree_states_sum": 7,
	} {
		if got[name] != want {
			t.Errorf("%s is %g, want %g", name, got[name], want)
		}
	}
}
