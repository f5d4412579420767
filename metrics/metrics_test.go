package metrics

import (
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"tengen/run"
)

// clock is a clock that a test sets.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestLint(t *testing.T) {
	problems, err := testutil.GatherAndLint(New(nil).registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// known returns the metrics of a run with seats and a description.
func known(o *Options) *Metrics {
	m := New(o)
	m.Seats([]string{"Black", "White"})
	m.Describe("go:size=5,players=2", "alphazero", "avx2")
	m.Devices(func() []Device { return []Device{{Name: "cuda:0"}} })
	return m
}

// alwaysThere are our families that are not zero at the start.
var alwaysThere = []string{
	"tengen_build_info", "tengen_run_info", "tengen_inference_kernels_info",
	"tengen_disk_free_bytes", "tengen_disk_size_bytes",
}

func family(series string) string {
	name, _, _ := strings.Cut(series, "{")
	return name
}

// Every family of the contract has its series, at zero, from the start, and there are no others.
func TestSeriesStartAtZero(t *testing.T) {
	got := values(t, known(nil))
	there := map[string]bool{}
	for name, v := range got {
		there[family(name)] = true
		if zero := !slices.Contains(alwaysThere, family(name)); zero != (v == 0) {
			t.Errorf("%s starts at %v", name, v)
		}
	}
	for _, f := range Contract() {
		if strings.HasPrefix(f.Name, "tengen_") && !there[f.Name] {
			t.Errorf("%s is missing", f.Name)
		}
		delete(there, f.Name)
	}
	for name := range there {
		t.Errorf("%s is not in the contract", name)
	}
}

// A label has fewer than ten values.
func TestLabelsAreFew(t *testing.T) {
	few := map[string]map[string]bool{}
	each(t, known(nil), func(name string, x *dto.Metric) {
		for _, l := range x.GetLabel() {
			key := family(name) + " " + l.GetName()
			if few[key] == nil {
				few[key] = map[string]bool{}
			}
			few[key][l.GetValue()] = true
		}
	})
	for key, values := range few {
		if len(values) > 9 {
			t.Errorf("%s has %d values", key, len(values))
		}
	}
}

// An event changes its own series only, and every series that starts at zero is changed
// by one of the events.
func TestEachMoves(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	losses := func(data string) map[string]float64 {
		return map[string]float64{
			"tengen_loss{data=" + data + ",head=policy}":                   1,
			"tengen_loss{data=" + data + ",head=value}":                    2,
			"tengen_loss{data=" + data + ",head=total}":                    4,
			"tengen_loss{data=" + data + ",head=cells}":                    7,
			"tengen_loss{data=" + data + ",head=seats}":                    8,
			"tengen_loss{data=" + data + ",head=belief}":                   10,
			"tengen_loss{data=" + data + ",head=belief_prior}":             11,
			"tengen_belief_calibration_error{data=" + data + "}":           12,
			"tengen_policy_accuracy_ratio{data=" + data + "}":              0.5,
			"tengen_value_calibration_error{data=" + data + "}":            0.25,
			"tengen_value_target_entropy_nats{data=" + data + "}":          6,
			"tengen_policy_entropy_nats{data=" + data + ",policy=network}": 3,
			"tengen_policy_entropy_nats{data=" + data + ",policy=target}":  5,
		}
	}
	fit := func(l Losses) {
		for gauge, v := range map[prometheus.Gauge]float64{
			l.Policy: 1, l.Value: 2, l.Total: 4, l.PolicyAccuracy: 0.5, l.PolicyEntropy: 3,
			l.TargetEntropy: 5, l.Calibration: 0.25, l.ValueTargetEntropy: 6,
			l.Cells: 7, l.Seats: 8, l.Belief: 10, l.BeliefPrior: 11, l.BeliefCalibration: 12,
		} {
			gauge.Set(v)
		}
	}
	moved := map[string]bool{}
	for _, test := range []struct {
		move func(m *Metrics)
		want map[string]float64
	}{
		{func(m *Metrics) { m.Iteration.Set(4) }, map[string]float64{"tengen_iteration": 4}},
		{func(m *Metrics) { m.Iterations.Set(50) }, map[string]float64{"tengen_iterations": 50}},
		{func(m *Metrics) {
			m.Step(32)
		}, map[string]float64{"tengen_steps_total": 1, "tengen_samples_total": 32}},
		{func(m *Metrics) { fit(m.Training) }, losses("training")},
		{func(m *Metrics) { fit(m.HeldOut) }, losses("held_out")},
		{func(m *Metrics) { m.GradientNorm.Set(2) }, map[string]float64{"tengen_gradient_norm": 2}},
		{func(m *Metrics) { m.WeightNorm.Set(20) }, map[string]float64{"tengen_weight_norm": 20}},
		{func(m *Metrics) {
			m.LearningRate.Set(1e-4)
		}, map[string]float64{"tengen_learning_rate": 1e-4}},
		{func(m *Metrics) {
			m.BadUpdates.Inc()
		}, map[string]float64{"tengen_bad_updates_total": 1}},

		{func(m *Metrics) { m.Rating.Set(120, 60, 190) }, map[string]float64{
			"tengen_rating_elo": 120, "tengen_rating_low_elo": 60, "tengen_rating_high_elo": 190}},
		{func(m *Metrics) { m.Points("White", 9.5, 1) }, map[string]float64{
			"tengen_evaluation_points{seat=White}":      9.5,
			"tengen_evaluation_points_low{seat=White}":  8.5,
			"tengen_evaluation_points_high{seat=White}": 10.5}},
		{func(m *Metrics) { m.Points("White", 9.5, math.Inf(1)) }, map[string]float64{
			"tengen_evaluation_points{seat=White}":      9.5,
			"tengen_evaluation_points_low{seat=White}":  math.Inf(-1),
			"tengen_evaluation_points_high{seat=White}": math.Inf(1)}},
		{func(m *Metrics) {
			m.Anchor("Black", 11)
		}, map[string]float64{"tengen_evaluation_anchor_points{seat=Black}": 11}},
		{func(m *Metrics) {
			m.EvaluationIteration.Set(3)
		}, map[string]float64{"tengen_evaluation_iteration": 3}},
		{func(m *Metrics) {
			m.EvaluationGames.Inc()
		}, map[string]float64{"tengen_evaluation_games_total": 1}},
		{func(m *Metrics) {
			m.SkippedEvaluations.Inc()
		}, map[string]float64{"tengen_evaluation_skipped_total": 1}},

		{func(m *Metrics) {
			m.Begun()
			m.Begun()
			m.Ended()
		}, map[string]float64{"tengen_games_started_total": 2, "tengen_games_running": 1}},
		{func(m *Metrics) {
			m.GamesFinished.Inc()
		}, map[string]float64{"tengen_games_finished_total": 1}},
		{func(m *Metrics) {
			m.Positions.Add(65)
		}, map[string]float64{"tengen_positions_total": 65}},
		{func(m *Metrics) { m.GamePlies.Observe(65) }, map[string]float64{"tengen_game_plies": 1}},
		{func(m *Metrics) { m.Outcome([]float32{0.25, 0.75}) }, map[string]float64{
			"tengen_outcomes_total{outcome=lost,seat=Black}": 1,
			"tengen_outcomes_total{outcome=won,seat=White}":  1}},
		{func(m *Metrics) { m.Outcome([]float32{0.5, 0.5}) }, map[string]float64{
			"tengen_outcomes_total{outcome=tied,seat=Black}": 1,
			"tengen_outcomes_total{outcome=tied,seat=White}": 1}},
		{func(m *Metrics) {
			m.GamesResigned.Inc()
		}, map[string]float64{"tengen_games_resigned_total": 1}},
		{func(m *Metrics) {
			m.ResignThreshold.Set(0.05)
		}, map[string]float64{"tengen_resignation_threshold": 0.05}},
		{func(m *Metrics) {
			m.FalseResignations.Set(0.04)
		}, map[string]float64{"tengen_resignation_false_ratio": 0.04}},
		{func(m *Metrics) {
			m.NetworkSeats.Add(2)
		}, map[string]float64{"tengen_seats_total{player=network}": 2}},
		{func(m *Metrics) {
			m.UCTSeats.Inc()
		}, map[string]float64{"tengen_seats_total{player=uct}": 1}},
		{func(m *Metrics) {
			m.Simulated(180)
		}, map[string]float64{"tengen_simulations_total": 180}},
		{func(m *Metrics) { m.Searched(SearchStats{Depth: 40}) }, map[string]float64{
			"tengen_searches_total{kind=full}": 1, "tengen_search_depth": 1}},
		{func(m *Metrics) { m.Searched(SearchStats{Depth: 40, Fast: true}) }, map[string]float64{
			"tengen_searches_total{kind=fast}": 1, "tengen_search_depth": 1}},
		{func(m *Metrics) {
			m.Searched(SearchStats{Depth: 40, Resolved: true})
		}, map[string]float64{
			"tengen_searches_total{kind=full}": 1, "tengen_search_depth": 1,
			"tengen_searches_resolved_total": 1}},
		{func(m *Metrics) { m.Searched(SearchStats{Depth: 40, Full: true}) }, map[string]float64{
			"tengen_searches_total{kind=full}": 1, "tengen_search_depth": 1,
			"tengen_searches_capped_total": 1}},
		{func(m *Metrics) {
			m.GameStates.Observe(3000)
		}, map[string]float64{"tengen_game_tree_states": 1}},
		{func(m *Metrics) {
			m.PlayingStep.Set(600)
		}, map[string]float64{"tengen_playing_network_step": 600}},
		{func(m *Metrics) {
			m.NewestStep.Set(800)
		}, map[string]float64{"tengen_newest_network_step": 800}},

		{func(m *Metrics) { m.Batch(24, 32, time.Millisecond) }, map[string]float64{
			"tengen_inference_batches_total": 1, "tengen_inference_positions_total": 24,
			"tengen_inference_batch_fill_ratio": 1, "tengen_inference_wait_seconds": 1}},
		{func(m *Metrics) { m.Lookups(9, 4) }, map[string]float64{
			"tengen_inference_cache_lookups_total": 9, "tengen_inference_cache_hits_total": 4}},

		{func(m *Metrics) { m.ReplayGames.Set(7) }, map[string]float64{"tengen_replay_games": 7}},
		{func(m *Metrics) {
			m.ReplayPositions.Set(8)
		}, map[string]float64{"tengen_replay_positions": 8}},
		{func(m *Metrics) {
			m.ReplayBytes(func() float64 { return 9 })
		}, map[string]float64{"tengen_replay_bytes": 9}},
		{func(m *Metrics) {
			m.NewPositions.Add(3)
		}, map[string]float64{"tengen_replay_positions_added_total": 3}},
		{func(m *Metrics) {
			m.Reused(300, 100)
		}, map[string]float64{"tengen_sample_reuse_ratio": 3}},
		{func(m *Metrics) { m.Reused(300, 0) }, nil},
		{func(m *Metrics) {
			m.WaitedForGames.Add(1.5)
		}, map[string]float64{"tengen_trainer_wait_seconds_total{for=games}": 1.5}},
		{func(m *Metrics) {
			m.WaitedForBatches.Add(0.5)
		}, map[string]float64{"tengen_trainer_wait_seconds_total{for=batches}": 0.5}},
		{func(m *Metrics) {
			m.WaitedForTraining.Add(2.5)
		}, map[string]float64{"tengen_selfplay_wait_seconds_total": 2.5}},
		{func(m *Metrics) { m.Lag.Set(40) }, map[string]float64{"tengen_network_lag_steps": 40}},
		{func(m *Metrics) { m.Checkpoint(time.Unix(1234, 5e8), 2*time.Second) }, map[string]float64{
			"tengen_checkpoints_total": 1, "tengen_checkpoint_timestamp_seconds": 1234.5,
			"tengen_checkpoint_duration_seconds": 1}},
		{func(m *Metrics) {
			m.WriteFailures.Inc()
		}, map[string]float64{"tengen_write_failures_total": 1}},
		{func(m *Metrics) {
			m.WaitingForDisk.Set(1)
		}, map[string]float64{"tengen_waiting_for_disk": 1}},
		{func(m *Metrics) { m.Stalled.Set(1) }, map[string]float64{"tengen_stalled": 1}},

		{func(m *Metrics) {
			m.ClusterWorkers("playing").Set(3)
		}, map[string]float64{"tengen_cluster_workers{state=playing}": 3}},
		{func(m *Metrics) {
			m.ClusterRate.Set(700)
		}, map[string]float64{"tengen_cluster_evaluations_per_second": 700}},
		{func(m *Metrics) {
			m.ClusterGiven.Set(24)
		}, map[string]float64{"tengen_cluster_games_given": 24}},
		{func(m *Metrics) {
			m.ClusterEarly.Set(2)
		}, map[string]float64{"tengen_cluster_games_early": 2}},
		{func(m *Metrics) {
			m.ClusterGames.Add(5)
		}, map[string]float64{"tengen_cluster_games_total": 5}},
		{func(m *Metrics) {
			m.ClusterLate.Inc()
		}, map[string]float64{"tengen_cluster_late_games_total": 1}},
		{func(m *Metrics) {
			m.ClusterRedelivered.Inc()
		}, map[string]float64{"tengen_cluster_redelivered_total": 1}},
		{func(m *Metrics) {
			m.ClusterMatchGames.Add(4)
		}, map[string]float64{"tengen_cluster_match_games_total": 4}},
		{func(m *Metrics) {
			m.ClusterStalled.Set(1)
		}, map[string]float64{"tengen_cluster_stalled": 1}},
		{func(m *Metrics) {
			m.ClusterAgain.Inc()
		}, map[string]float64{"tengen_cluster_blocks_again_total": 1}},
		{func(m *Metrics) {
			m.ClusterQueue("games", 7, 900)
		}, map[string]float64{
			"tengen_cluster_queue_messages{stream=games}": 7,
			"tengen_cluster_queue_bytes{stream=games}":    900,
		}},
		{func(m *Metrics) {
			m.ClusterRefused("record").Inc()
		}, map[string]float64{"tengen_cluster_refused_total{reason=record}": 1}},

		{func(m *Metrics) {
			m.Devices(func() []Device { return []Device{{"cuda:0", 0.5, 1, 2, 3, 4, 1, 7}} })
		}, map[string]float64{
			"tengen_gpu_utilization_ratio{device=cuda:0}":   0.5,
			"tengen_gpu_memory_used_bytes{device=cuda:0}":   1,
			"tengen_gpu_memory_total_bytes{device=cuda:0}":  2,
			"tengen_gpu_power_watts{device=cuda:0}":         3,
			"tengen_gpu_temperature_celsius{device=cuda:0}": 4,
			"tengen_gpu_lost{device=cuda:0}":                1,
			"tengen_gpu_losses_total{device=cuda:0}":        7}},

		{func(m *Metrics) {
			m.Enter(run.StageUpdate)
		}, map[string]float64{"tengen_stage_in_progress{stage=update}": 1}},
		{func(m *Metrics) {
			m.Enter(run.StageSelfPlay)()
		}, map[string]float64{"tengen_stage_duration_seconds{stage=self_play}": 1}},
	} {
		m := known(&Options{Now: c.now})
		test.move(m)
		for name, got := range values(t, m) {
			if slices.Contains(alwaysThere, family(name)) {
				continue
			}
			if want := test.want[name]; got != want {
				t.Errorf("%v: %s is %v, want %v", test.want, name, got, want)
			}
			if got != 0 {
				moved[family(name)] = true
			}
		}
	}
	for _, f := range Contract() {
		if strings.HasPrefix(f.Name, "tengen_") && !moved[f.Name] &&
			!slices.Contains(alwaysThere, f.Name) {
			t.Errorf("no event changes %s", f.Name)
		}
	}
}

// The descriptions of the run and the program are labels of series with value 1.
func TestDescribe(t *testing.T) {
	m := known(nil)
	m.Describe("go:size=3,players=3", "descent", "portable") // replaces the first
	got := values(t, m)
	for name, v := range got {
		if !strings.HasSuffix(family(name), "_info") {
			continue
		}
		if v != 1 {
			t.Errorf("%s is %v", name, v)
		}
		switch family(name) {
		case "tengen_run_info":
			if name != "tengen_run_info{algorithm=descent,game=go:size=3,players=3}" {
				t.Errorf("the run is %s", name)
			}
		case "tengen_inference_kernels_info":
			if name != "tengen_inference_kernels_info{path=portable}" {
				t.Errorf("the kernels are %s", name)
			}
		case "tengen_build_info":
			if !strings.Contains(name, "goversion="+runtime.Version()) {
				t.Errorf("the build is %s", name)
			}
		}
	}
}

// The disk is that of the folder, which need not exist.
func TestDisk(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("disks are not watched on " + runtime.GOOS)
	}
	folder := t.TempDir()
	want := func(o *Options) (free, size float64) {
		got := values(t, New(o))
		return got["tengen_disk_free_bytes"], got["tengen_disk_size_bytes"]
	}
	free, size := want(&Options{Folder: folder})
	if !(free >= 0 && free <= size && size > 0) {
		t.Errorf("%v bytes of %v are free", free, size)
	}
	if _, later := want(&Options{Folder: filepath.Join(folder, "runs", "later")}); later != size {
		t.Errorf("the disk of a folder that does not exist has %v bytes, want %v", later, size)
	}
}

// All series of a run have its name as a label.
func TestRunLabel(t *testing.T) {
	families, err := New(&Options{Run: "quick"}).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, x := range f.GetMetric() {
			if !slices.ContainsFunc(x.GetLabel(), func(l *dto.LabelPair) bool {
				return l.GetName() == "run" && l.GetValue() == "quick"
			}) {
				t.Errorf("%s has the labels %v", f.GetName(), x.GetLabel())
			}
		}
	}
}

func TestHistogramsSumWhatTheyObserve(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	m := New(&Options{Now: c.now})
	m.Batch(24, 32, 3*time.Millisecond)
	m.Checkpoint(c.t, 1500*time.Millisecond)
	m.GamePlies.Observe(65)
	m.GameStates.Observe(3000)
	m.Searched(SearchStats{Depth: 40})
	leave := m.Enter(run.StageEvaluation)
	c.t = c.t.Add(7 * time.Second)
	leave()
	sums := map[string]float64{}
	each(t, m, func(name string, x *dto.Metric) {
		if h := x.GetHistogram(); h != nil && h.GetSampleCount() > 0 {
			sums[name] = h.GetSampleSum()
			if len(h.GetBucket()) == 0 || len(h.GetPositiveSpan()) == 0 {
				t.Errorf("%s has %d explicit buckets and %d native spans",
					name, len(h.GetBucket()), len(h.GetPositiveSpan()))
			}
		}
	})
	want := map[string]float64{
		"tengen_inference_batch_fill_ratio": 0.75, "tengen_inference_wait_seconds": 0.003,
		"tengen_checkpoint_duration_seconds": 1.5, "tengen_game_plies": 65,
		"tengen_game_tree_states": 3000, "tengen_search_depth": 40,
		"tengen_stage_duration_seconds{stage=evaluation}": 7,
	}
	for name, sum := range want {
		if sums[name] != sum {
			t.Errorf("%s sums to %v, want %v", name, sums[name], sum)
		}
	}
	if len(sums) != len(want) {
		t.Errorf("observed %v, want %v", sums, want)
	}
}

func TestUnknownStage(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an unknown stage is accepted")
		}
	}()
	New(nil).Enter("rest")
}

// values returns our series: the values of counters and gauges, and the number of
// observations of histograms.
func values(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	each(t, m, func(name string, x *dto.Metric) {
		switch {
		case x.GetCounter() != nil:
			got[name] = x.GetCounter().GetValue()
		case x.GetGauge() != nil:
			got[name] = x.GetGauge().GetValue()
		case x.GetHistogram() != nil:
			got[name] = float64(x.GetHistogram().GetSampleCount())
		}
	})
	return got
}

// each calls a function for each of our series, named as in tengen_loss{data=training,head=value}.
func each(t *testing.T, m *Metrics, visit func(name string, x *dto.Metric)) {
	t.Helper()
	families, err := prometheus.Gatherer(m.registry).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "tengen_") {
			continue
		}
		for _, x := range f.GetMetric() {
			var labels []string
			for _, l := range x.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			name := f.GetName()
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			visit(name, x)
		}
	}
}

// Devices are read at each scrape. An unknown reading has no series, and there are none
// without a device.
func TestDevices(t *testing.T) {
	m := New(nil)
	for name := range values(t, m) {
		if strings.HasPrefix(name, "tengen_gpu_") {
			t.Errorf("%s without a device", name)
		}
	}
	power := 300.0
	m.Devices(func() []Device {
		return []Device{
			{"cuda:0", 0.5, 1 << 30, 8 << 30, power, 60, 0, 0},
			{"cuda:1", math.NaN(), 1 << 20, 8 << 30, math.NaN(), 40, 1, 2},
		}
	})
	for range 2 {
		got := map[string]float64{}
		for name, v := range values(t, m) {
			if strings.HasPrefix(name, "tengen_gpu_") {
				got[name] = v
			}
		}
		want := map[string]float64{
			`tengen_gpu_utilization_ratio{device=cuda:0}`:   0.5,
			`tengen_gpu_memory_used_bytes{device=cuda:0}`:   1 << 30,
			`tengen_gpu_memory_used_bytes{device=cuda:1}`:   1 << 20,
			`tengen_gpu_memory_total_bytes{device=cuda:0}`:  8 << 30,
			`tengen_gpu_memory_total_bytes{device=cuda:1}`:  8 << 30,
			`tengen_gpu_power_watts{device=cuda:0}`:         power,
			`tengen_gpu_temperature_celsius{device=cuda:0}`: 60,
			`tengen_gpu_temperature_celsius{device=cuda:1}`: 40,
			`tengen_gpu_lost{device=cuda:0}`:                0,
			`tengen_gpu_lost{device=cuda:1}`:                1,
			`tengen_gpu_losses_total{device=cuda:0}`:        0,
			`tengen_gpu_losses_total{device=cuda:1}`:        2,
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		power = 310
	}
}
