package trainer

import (
	"testing"
	"time"

	"tengen/run"
)

// The time left counts down between estimates, never below a second, and is 0 while it is unknown.
func TestTimeLeft(t *testing.T) {
	at := time.Unix(1000, 0)
	now := func() time.Time { return at }
	var m Monitor
	m.begin(func() time.Duration { return 0 }, 0)
	for _, step := range []struct{ estimate, later, want time.Duration }{
		{0, time.Minute, 0},
		{5 * time.Minute, 0, 5 * time.Minute},
		{5 * time.Minute, 2 * time.Minute, 3 * time.Minute},
		{5 * time.Minute, 7 * time.Minute, time.Second},
		{0, 0, 0},
	} {
		m.expect(step.estimate, now)
		at = at.Add(step.later)
		if got := m.Status().Left; got != step.want {
			t.Errorf("%v after an estimate of %v, %v are left; want %v",
				step.later, step.estimate, got, step.want)
		}
	}
}

// In the last evaluation the time left follows its games.
func TestTimeLeftInTheLastEvaluation(t *testing.T) {
	at := time.Unix(1000, 0)
	var m Monitor
	m.begin(func() time.Duration { return 0 }, 0)
	m.expect(0, func() time.Time { return at })
	m.finish()
	for _, step := range []struct {
		stage     run.Stage
		later     time.Duration
		done, all int
		want      time.Duration
	}{
		{run.StageEvaluation, 0, 0, 0, 0},
		{run.StageEvaluation, 10 * time.Second, 0, 100, 0},
		{run.StageEvaluation, 10 * time.Second, 20, 100, 80 * time.Second},
		{run.StageEvaluation, 20 * time.Second, 80, 100, 10 * time.Second},
		{run.StageEvaluation, 0, 100, 100, time.Second},
		{run.StageCheckpoint, 0, 20, 100, 0},
	} {
		at = at.Add(step.later)
		m.update(func(s *run.Status) { s.Stage, s.Done, s.All = step.stage, step.done, step.all })
		if got := m.Status().Left; got != step.want {
			t.Errorf("%d of %d games of %s: %v are left; want %v",
				step.done, step.all, step.stage, got, step.want)
		}
	}
}
