package trainer

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestRates(t *testing.T) {
	var r rates
	r.note(100, 50, 10, 2)
	if r.game != 0.5 || r.step != 0.2 {
		t.Errorf("%+v", r)
	}
	r.note(100, 70, 0, 9) // no step was made
	if math.Abs(r.game-0.6) > 1e-9 || r.step != 0.2 {
		t.Errorf("%+v", r)
	}
}

// TestForecast: from the end of the first iteration on the time left is told, and it is right
// within a third, also while the window and with it the updates grow. By the test's clock, which
// goes on whenever it is read, a training step takes three seconds.
func TestForecast(t *testing.T) {
	p := tiny(t, "training.iterations=12", "training.games=20", "warm_start.initial_games=20",
		"training.max_steps=0", "training.batch=16", "replay.games=400",
		"evaluation.every=0", "selfplay.workers=1", "replay.held_out=0")
	var at atomic.Int64 // ms
	c := &counting{Backend: p.device(), cancel: func() {}}
	c.onCall = func() { at.Add(3000) }
	p.Backend = c
	o := options(t, p, filepath.Join(t.TempDir(), "run"))
	o.Now = func() time.Time { return time.UnixMilli(at.Add(100)) }
	type estimate struct{ at, left time.Duration }
	var list []estimate
	o.Log = slog.New(told(func(message string) {
		if s := o.Monitor.Status(); message == "iteration" && s.Iteration > 0 {
			list = append(list, estimate{time.Duration(at.Load()) * time.Millisecond, s.Left})
		}
	}))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	end := list[len(list)-1].at // of the last iteration
	for k, x := range list[:len(list)-1] {
		if want := end - x.at; x.left < want*2/3 || x.left > want*4/3 {
			t.Errorf("in iteration %d about %v are left, and it takes %v", k+2, x.left, want)
		}
	}
	if len(list) != 11 {
		t.Errorf("%d estimates", len(list))
	}
}

// TestForesee: within the first iteration the time left is told as soon as a training step was
// measured, from the games that have ended; and the update's own steps correct it.
func TestForesee(t *testing.T) {
	p := tiny(t, "training.iterations=10", "training.games=100", "warm_start.initial_games=100",
		"warm_start.initial_epochs=0",
		"training.max_steps=50", "training.batch=10", "replay.games=100", "evaluation.every=0",
		"replay.held_out=0")
	at := time.Unix(100, 0)
	now := func() time.Time { return at }
	var m Monitor
	m.begin(func() time.Duration { return at.Sub(time.Unix(100, 0)) }, 0)
	m.foresee(&early{plan: p}, now)
	m.beginPlay(0, now)
	m.Counters.Games.Store(10)
	// 6 a game, so that 100 games make 60 steps, of which 50 are made
	m.Counters.Positions.Store(60)
	at = at.Add(5 * time.Second)
	if left := m.Status().Left; left != 0 || !m.foresees() {
		t.Errorf("%v left, when the time of a step is not known", left)
	}
	m.measured(2)
	// 1,100 games at half a second, less 10, and ten updates of 50 steps.
	if left, want := m.Status().Left,
		545*time.Second+1000*time.Second; left.Round(time.Second) != want {
		t.Errorf("%v left, want %v", left, want)
	}
	m.Counters.Games.Store(200)
	m.Counters.Positions.Store(1200)
	at = at.Add(95 * time.Second)
	m.endPlay()
	m.step(1, 50)
	at = at.Add(27 * time.Second)
	m.step(10, 50) // three seconds each
	if left, want := m.Status().Left,
		450*time.Second+490*3*time.Second; left.Round(time.Second) != want {
		t.Errorf("%v left in the update, want %v", left, want)
	}
	m.expect(0, now)
	if left := m.Status().Left; left != 0 || m.foresees() {
		t.Errorf("%v left after the iteration, of which nothing is known", left)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.stepSeconds(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the run's end a step is measured: %v", err)
	}
	if step, err := p.stepSeconds(t.Context()); err != nil || !(step > 0) {
		t.Errorf("a step of %v s: %v", step, err)
	}
}
