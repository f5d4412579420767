package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
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

// Every series of ours is there from the start, and is zero.
func TestSeriesStartAtZero(t *testing.T) {
	got := values(t, New(nil))
	for name, v := range got {
		if v != 0 {
			t.Errorf("%s starts at %v", name, v)
		}
	}
	for _, name := range everySeries {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if len(got) != len(everySeries) {
		t.Errorf("%d series, want %d", len(got), len(everySeries))
	}
}

// everySeries lists what a reader may rely on: a histogram by its number of observations.
var everySeries = []string{
	"tengen_games_started_total", "tengen_games_running", "tengen_games_finished_total", "tengen_positions_total", "tengen_game_plies",
	"tengen_seats_total{player=network}", "tengen_seats_total{player=uct}",
	"tengen_evaluations_total", "tengen_batches_total", "tengen_batch_fill_ratio",
	"tengen_evaluation_cache_lookups_total", "tengen_evaluation_cache_hits_total",
	"tengen_descent_game_states", "tengen_descent_depth", "tengen_descent_searches_total",
	"tengen_descent_resolved_roots_total", "tengen_descent_capped_searches_total",
	"tengen_iteration", "tengen_iterations", "tengen_steps_total",
	"tengen_loss{data=training,head=policy}", "tengen_loss{data=training,head=value}", "tengen_loss{data=training,head=total}",
	"tengen_loss{data=held_out,head=policy}", "tengen_loss{data=held_out,head=value}", "tengen_loss{data=held_out,head=total}",
	"tengen_learning_rate", "tengen_replay_games", "tengen_replay_positions",
	"tengen_checkpoints_total", "tengen_checkpoint_timestamp_seconds", "tengen_checkpoint_duration_seconds", "tengen_evaluation_games_total",
	"tengen_evaluations_skipped_total", "tengen_rating_elo", "tengen_rating_low_elo", "tengen_rating_high_elo",
	"tengen_gate_games_total", "tengen_gate_decisions_total{verdict=accepted}", "tengen_gate_decisions_total{verdict=rejected}", "tengen_best_iteration",
	"tengen_stage_in_progress{stage=self_play}", "tengen_stage_in_progress{stage=replay}", "tengen_stage_in_progress{stage=update}",
	"tengen_stage_in_progress{stage=gate}", "tengen_stage_in_progress{stage=checkpoint}", "tengen_stage_in_progress{stage=evaluation}",
	"tengen_stage_duration_seconds{stage=self_play}", "tengen_stage_duration_seconds{stage=replay}", "tengen_stage_duration_seconds{stage=update}",
	"tengen_stage_duration_seconds{stage=gate}", "tengen_stage_duration_seconds{stage=checkpoint}", "tengen_stage_duration_seconds{stage=evaluation}",
}

// Each collector moves its own series and no other.
func TestEachMoves(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	for _, test := range []struct {
		move func(m *Metrics)
		want map[string]float64
	}{
		{func(m *Metrics) { m.GamesStarted.Inc() }, map[string]float64{"tengen_games_started_total": 1}},
		{func(m *Metrics) { m.GamesRunning.Set(3) }, map[string]float64{"tengen_games_running": 3}},
		{func(m *Metrics) { m.GamesFinished.Inc() }, map[string]float64{"tengen_games_finished_total": 1}},
		{func(m *Metrics) { m.Positions.Add(65) }, map[string]float64{"tengen_positions_total": 65}},
		{func(m *Metrics) { m.GamePlies.Observe(65) }, map[string]float64{"tengen_game_plies": 1}},
		{func(m *Metrics) { m.NetworkSeats.Add(2) }, map[string]float64{"tengen_seats_total{player=network}": 2}},
		{func(m *Metrics) { m.UCTSeats.Inc() }, map[string]float64{"tengen_seats_total{player=uct}": 1}},
		{func(m *Metrics) { m.Batch(24, 32) }, map[string]float64{
			"tengen_batches_total": 1, "tengen_evaluations_total": 24, "tengen_batch_fill_ratio": 1}},
		{func(m *Metrics) { m.Lookups(9, 4) }, map[string]float64{
			"tengen_evaluation_cache_lookups_total": 9, "tengen_evaluation_cache_hits_total": 4}},
		{func(m *Metrics) { m.GameStates.Observe(3000) }, map[string]float64{"tengen_descent_game_states": 1}},
		{func(m *Metrics) { m.Search(40, false, false) }, map[string]float64{
			"tengen_descent_searches_total": 1, "tengen_descent_depth": 1}},
		{func(m *Metrics) { m.Search(40, true, false) }, map[string]float64{
			"tengen_descent_searches_total": 1, "tengen_descent_depth": 1, "tengen_descent_resolved_roots_total": 1}},
		{func(m *Metrics) { m.Search(40, false, true) }, map[string]float64{
			"tengen_descent_searches_total": 1, "tengen_descent_depth": 1, "tengen_descent_capped_searches_total": 1}},
		{func(m *Metrics) { m.Iteration.Set(4) }, map[string]float64{"tengen_iteration": 4}},
		{func(m *Metrics) { m.Iterations.Set(50) }, map[string]float64{"tengen_iterations": 50}},
		{func(m *Metrics) { m.Steps.Inc() }, map[string]float64{"tengen_steps_total": 1}},
		{func(m *Metrics) { m.Training.Set(1, 2, 4) }, map[string]float64{
			"tengen_loss{data=training,head=policy}": 1, "tengen_loss{data=training,head=value}": 2, "tengen_loss{data=training,head=total}": 4}},
		{func(m *Metrics) { m.HeldOut.Set(1, 2, 4) }, map[string]float64{
			"tengen_loss{data=held_out,head=policy}": 1, "tengen_loss{data=held_out,head=value}": 2, "tengen_loss{data=held_out,head=total}": 4}},
		{func(m *Metrics) { m.LearningRate.Set(1e-4) }, map[string]float64{"tengen_learning_rate": 1e-4}},
		{func(m *Metrics) { m.ReplayGames.Set(7) }, map[string]float64{"tengen_replay_games": 7}},
		{func(m *Metrics) { m.ReplayPositions.Set(8) }, map[string]float64{"tengen_replay_positions": 8}},
		{func(m *Metrics) { m.Checkpoint(time.Unix(1234, 5e8), 2*time.Second) }, map[string]float64{
			"tengen_checkpoints_total": 1, "tengen_checkpoint_timestamp_seconds": 1234.5, "tengen_checkpoint_duration_seconds": 1}},
		{func(m *Metrics) { m.EvaluationGames.Inc() }, map[string]float64{"tengen_evaluation_games_total": 1}},
		{func(m *Metrics) { m.SkippedEvaluations.Inc() }, map[string]float64{"tengen_evaluations_skipped_total": 1}},
		{func(m *Metrics) { m.Rating.Set(120, 60, 190) }, map[string]float64{
			"tengen_rating_elo": 120, "tengen_rating_low_elo": 60, "tengen_rating_high_elo": 190}},
		{func(m *Metrics) { m.GateGames.Inc() }, map[string]float64{"tengen_gate_games_total": 1}},
		{func(m *Metrics) { m.Accepted.Inc() }, map[string]float64{"tengen_gate_decisions_total{verdict=accepted}": 1}},
		{func(m *Metrics) { m.Rejected.Inc() }, map[string]float64{"tengen_gate_decisions_total{verdict=rejected}": 1}},
		{func(m *Metrics) { m.BestIteration.Set(9) }, map[string]float64{"tengen_best_iteration": 9}},
		{func(m *Metrics) { m.Enter(Update) }, map[string]float64{"tengen_stage_in_progress{stage=update}": 1}},
		{func(m *Metrics) { m.Enter(SelfPlay)() }, map[string]float64{"tengen_stage_duration_seconds{stage=self_play}": 1}},
	} {
		m := New(c.now)
		test.move(m)
		for name, got := range values(t, m) {
			if want := test.want[name]; got != want {
				t.Errorf("%v: %s is %v, want %v", test.want, name, got, want)
			}
		}
	}
}

// The series of seats are there, at zero, once the game is known.
func TestSeats(t *testing.T) {
	m := New(nil)
	m.Seats([]string{"Black", "White"})
	m.Points("White", 9.5)
	got := values(t, m)
	want := map[string]float64{"tengen_evaluation_points{seat=Black}": 0, "tengen_evaluation_points{seat=White}": 9.5}
	for name, v := range want {
		if x, ok := got[name]; !ok || x != v {
			t.Errorf("%s is %v (there: %v), want %v", name, x, ok, v)
		}
	}
	if len(got) != len(everySeries)+len(want) {
		t.Errorf("%d series, want %d", len(got), len(everySeries)+len(want))
	}
}

func TestHistogramsSumWhatTheyObserve(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	m := New(c.now)
	m.Batch(24, 32)
	m.Checkpoint(c.t, 1500*time.Millisecond)
	m.GamePlies.Observe(65)
	m.GameStates.Observe(3000)
	m.Search(40, true, false)
	leave := m.Enter(Evaluation)
	c.t = c.t.Add(7 * time.Second)
	leave()
	sums := map[string]float64{}
	each(t, m, func(name string, x *dto.Metric) {
		if h := x.GetHistogram(); h != nil && h.GetSampleCount() > 0 {
			sums[name] = h.GetSampleSum()
			if len(h.GetBucket()) == 0 || len(h.GetPositiveSpan()) == 0 {
				t.Errorf("%s has %d explicit buckets and %d native spans", name, len(h.GetBucket()), len(h.GetPositiveSpan()))
			}
		}
	})
	want := map[string]float64{
		"tengen_batch_fill_ratio": 0.75, "tengen_checkpoint_duration_seconds": 1.5, "tengen_game_plies": 65,
		"tengen_descent_game_states": 3000, "tengen_descent_depth": 40,
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
			t.Error("a stage that is none is taken")
		}
	}()
	New(nil).Enter("rest")
}

// values are our series: counters and gauges by their value, histograms by
// their number of observations.
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

// each visits our series, named as in tengen_loss{data=training,head=value}.
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
