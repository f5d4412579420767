package trainer

import (
	"context"
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

// TestForecast: from the end of the first iteration on the time left is told, and it is right within a third, also while the
// window and with it the updates grow. By the test's clock, which goes on whenever it is read, a training step takes three seconds.
func TestForecast(t *testing.T) {
	p := tiny(t, "training.iterations=12", "training.games=20", "warm_start.initial_games=20", "training.max_steps=0", "training.batch=16", "replay.games=400",
		"evaluation.every=0", "selfplay.workers=1", "replay.held_out=0")
	var at atomic.Int64 // ms
	c := &counting{Backend: p.device(), cancel: func() {}}
	c.onCall = func() { at.Add(3000) }
	p.Use(c)
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
