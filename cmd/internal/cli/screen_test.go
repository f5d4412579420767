package cli

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/run"
	"tengen/run/watch"
)

// A run's status tells of the stage at hand, of ratings, and of an
// evaluation that goes on beside.
func TestStatusLines(t *testing.T) {
	low := 60.0
	lines := statusLines(&run.Status{
		Iteration: 4, Iterations: 15, Stage: run.StageUpdate, Done: 7, All: 120,
		Left: 62 * time.Second,
		Strength: &run.Strength{
			Points: []float64{14, 9, 8.25}, Baseline: []float64{11, 8, 6}, Sum: 31.25,
			SumCI: 2, Games: 50,
			Elo: &run.Elo{Rating: 120, Low: &low},
		},
		Concurrent: &run.Evaluating{Iteration: 3, Done: 30, All: 150},
	}, "points")
	want := []string{
		"about 1m2s left  iteration 5/15  update 7/120 steps",
		"against UCT: 14.0 / 9.0 / 8.2 points, sum 31.2 ± 2.0 (50 games a seat)  rating +120 Elo (60 to +Inf)",
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

// A run that is limited by its time shows how much of that is over, and one that stops says so.
func TestLimitedByTime(t *testing.T) {
	s := run.Status{
		Iteration: 4, Iterations: 1000, Stage: run.StageUpdate, Done: 7, All: 120,
		Left: 15 * time.Minute, Limit: time.Hour, Share: 0.75,
	}
	if got, want := statusLines(&s, "points")[0],
		"about 15m0s left of 1h0m0s (75 %)  iteration 5/1000  update 7/120 steps"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if s.State = run.Stopping; !strings.HasPrefix(statusLines(&s, "points")[0],
		"stopping  iteration ") {
		t.Errorf("%q", statusLines(&s, "points"))
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
		if got := statusLines(&run.Status{
			Iteration: c.iteration, Iterations: 15, Stage: run.StageEvaluation, Left: c.left,
		}, "points")[0]; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A frame fits its screen, whatever that is, and erases what stood there.
func TestFrame(t *testing.T) {
	x := &watch.Snapshot{
		Source: "runs/first", State: "running", Game: "go:size=5,players=3",
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Iterations: 9,
	}
	whole := watch.Lines(x, 80, false)
	for height := 1; height < 12; height++ {
		text := frame(looked{snapshot: x}, 80, height, false)
		if !strings.HasPrefix(text, "\x1b[H") || !strings.HasSuffix(text, "q quits\x1b[K\x1b[J") {
			t.Errorf("%d rows: %q", height, text)
		}
		lines := strings.Split(strings.TrimPrefix(text, "\x1b[H"), "\r\n")
		if len(lines) > height {
			t.Errorf("%d lines on %d rows", len(lines), height)
		}
		if cut := height < len(whole)+1; cut != strings.Contains(text, "…") && height > 1 {
			t.Errorf("%d rows: %q", height, text)
		}
	}
	text := frame(looked{snapshot: x, err: errors.New("gone\x1b[2J\nfor good")}, 50, 20, false)
	if !strings.Contains(text, "03:04:05: the last look; now: gone\\x1b[2J; for goo\x1b[K") {
		t.Errorf("%q", text)
	}
	if text = frame(looked{snapshot: x}, 20, 20, false); !strings.Contains(text,
		"\r\n03:04:05  q quits") {
		t.Errorf("%q", text)
	}
}
