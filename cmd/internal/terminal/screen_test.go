package terminal

import (
	"testing"
	"time"

	"tengen/run"
)

// A run's status tells of the stage at hand, of ratings, of the gate, and of an
// evaluation that goes on beside.
func TestStatusLines(t *testing.T) {
	low := 60.0
	lines := statusLines(&run.Status{
		Iteration: 4, Iterations: 15, Stage: run.StageGate, Done: 7, All: 120, Left: 62 * time.Second,
		Strength: &run.Strength{
			Points: []float64{14, 9, 8.25}, Baseline: []float64{11, 8, 6}, Sum: 31.25, SumCI: 2, Games: 50,
			Elo: &run.Elo{Rating: 120, Low: &low},
		},
		Gate:       &run.GateResult{Candidate: 4, Best: 2, Difference: 0.125, Low: -0.01},
		Concurrent: &run.Evaluating{Iteration: 3, Done: 30, All: 150},
	}, "points")
	want := []string{
		"about 1m2s left  iteration 5/15  gate 7/120 games",
		"against UCT: 14.0 / 9.0 / 8.2 points, sum 31.2 ± 2.0 (50 games a seat)  rating +120 Elo (60 to +Inf)",
		"gate: network 4 rejected against 2, utility +0.125 (at least -0.010)",
		"beside: evaluation of network 3  30/150 games",
	}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i, line := range lines {
		if line != want[i] {
			t.Errorf("line %d is %q, want %q", i, line, want[i])
		}
	}
}

// The last evaluation counts down too.
func TestTimeLeft(t *testing.T) {
	for _, c := range []struct {
		iteration int
		left      time.Duration
		want      string
	}{
		{3, 0, "time left not yet known  iteration 4/15  evaluation"},
		{3, 90 * time.Second, "about 1m30s left  iteration 4/15  evaluation"},
		{15, 7 * time.Second, "about 7s left  iteration 15/15  evaluation"},
		{15, 0, "almost done  iteration 15/15  evaluation"},
	} {
		if got := statusLines(&run.Status{Iteration: c.iteration, Iterations: 15, Stage: run.StageEvaluation, Left: c.left}, "points")[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
