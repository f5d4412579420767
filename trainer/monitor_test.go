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

// TestSpeeds: within self-play the status tells games and evaluations a second and the share of
// lookups that are hits, all since its beginning, and as many games as the iteration has at most.
func TestSpeeds(t *testing.T) {
	at := time.Unix(1000, 0)
	var m Monitor
	c := &m.Counters
	add := func(games, evaluations, lookups, hits uint64) {
		c.Games.Add(games)
		c.Evaluations.Add(evaluations)
		c.Lookups.Add(lookups)
		c.CacheHits.Add(hits)
	}
	add(1000, 5000, 700, 300)
	m.update(func(s *run.Status) { s.Stage, s.All = run.StageSelfPlay, 50 })
	m.beginPlay(20, func() time.Time { return at })
	check := func(done int, games, evaluations, hits float64) {
		t.Helper()
		s := m.Status()
		if s.Done != done || s.GamesPerSecond != games || s.EvaluationsPerSecond != evaluations ||
			s.CacheHits != hits {
			t.Errorf("%d games, %v and %v a second, %v hits; want %d, %v, %v, %v", s.Done,
				s.GamesPerSecond, s.EvaluationsPerSecond, s.CacheHits,
				done, games, evaluations, hits)
		}
	}
	at = at.Add(4 * time.Second)
	check(20, 0, 0, 0)
	add(10, 600, 400, 100)
	check(30, 2.5, 150, 0.25)
	at = at.Add(4 * time.Second)
	add(22, 200, 0, 0)
	check(50, 4, 100, 0.25)
	m.update(func(s *run.Status) { s.Stage, s.Done = run.StageUpdate, 3 })
	check(3, 4, 100, 0.25) // the games of the next iteration
	m.endPlay()
	at = at.Add(time.Hour)
	m.endPlay()
	check(3, 4, 100, 0.25)
}

// TestShareOfTheLimit: with a limit of time the share of the run is at least that of its time.
func TestShareOfTheLimit(t *testing.T) {
	var elapsed time.Duration
	var m Monitor
	m.begin(func() time.Duration { return elapsed }, 0)
	m.update(func(s *run.Status) { s.Share = 0.25 })
	if s := m.Status(); s.Share != 0.25 || s.State != run.Training {
		t.Errorf("without a limit %+v", s)
	}
	m.begin(func() time.Duration { return elapsed }, time.Minute)
	for seconds, want := range map[time.Duration]float64{6: 0.25, 30: 0.5, 60: 1, 90: 1} {
		m.update(func(s *run.Status) { s.Share = 0.25 })
		elapsed = seconds * time.Second
		if s := m.Status(); s.Share != want || s.Elapsed != elapsed {
			t.Errorf("after %v of a minute %+v", elapsed, s)
		}
	}
	for state, share := range map[run.State]float64{run.Complete: 1, run.Stopped: 0.75} {
		m.begin(func() time.Duration { return elapsed }, 0)
		m.update(func(s *run.Status) { s.Share, s.Stage = 0.75, run.StageUpdate })
		m.stopping()
		if s := m.Status(); s.State != run.Stopping {
			t.Errorf("a run that was asked to stop is %v", s.State)
		}
		m.end(state, "why")
		if s := m.Status(); s.State != state || s.Share != share || s.Stage != "" ||
			s.Message != "why" || s.Elapsed != elapsed {
			t.Errorf("ended: %+v", s)
		}
		m.stopping()
		if s := m.Status(); s.State != state {
			t.Errorf("a run that has ended %v is %v", state, s.State)
		}
	}
}
