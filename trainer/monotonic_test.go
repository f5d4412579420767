package trainer

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestSteady(t *testing.T) {
	var wall time.Time
	now := monotonic(func() time.Time { return wall })
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		wall int // seconds
		want int
	}{{0, 0}, {10, 10}, {4, 10}, {5, 11}, {11, 17}, {-100, 17}, {-98, 19}, {1000, 1117}} {
		wall = start.Add(time.Duration(c.wall) * time.Second)
		if got := now().Sub(start).Seconds(); got != float64(c.want) {
			t.Errorf("the clock on the wall says %d s, the steady one %g s, want %d s",
				c.wall, got, c.want)
		}
	}
	// What time.Now gives is passed through, its monotonic reading included.
	real := time.Now()
	if got := monotonic(func() time.Time { return real })(); got != real {
		t.Errorf("%v became %v", real, got)
	}
}

// TestClockSetBack: a run whose clock is set back by an hour, again and again, ends after
// its minutes, and tells no span of time that is negative.
func TestClockSetBack(t *testing.T) {
	o := options(t, tiny(t, "training.iterations=1000000", "training.minutes=1",
		"evaluation.every=0"), filepath.Join(t.TempDir(), "run"))
	// The clock moves a tenth of a second whenever it is asked, but goes back every 97th time.
	var asked atomic.Int64
	o.Now = func() time.Time {
		n := asked.Add(1)
		return time.Unix(1_000_000,
			0).Add(time.Duration(n)*100*time.Millisecond - time.Duration(n/97)*time.Hour)
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	before := 0.0
	for _, e := range history {
		p := e.Progress
		if p == nil {
			continue
		}
		if p.Elapsed < before || p.PlaySeconds < 0 || p.Seconds < 0 {
			t.Errorf("iteration %d: %g s in all after %g s; %g s of games, %g s of update",
				e.Iteration, p.Elapsed, before, p.PlaySeconds, p.Seconds)
		}
		// The clock is asked a few times besides.
		if most := p.Elapsed - before + 1; p.PlaySeconds+p.Seconds > most {
			t.Errorf("iteration %d: %g s of games and %g s of update in %g s", e.Iteration,
				p.PlaySeconds, p.Seconds, most)
		}
		before = p.Elapsed
	}
	if before < 55 || before > 70 {
		t.Errorf("the run ends after %.0f s of 60", before)
	}
}
