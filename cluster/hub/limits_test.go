package hub

import (
	"testing"
	"time"
)

// TestBucket: a burst is let through, then no more than the rate, whatever the time between two.
func TestBucket(t *testing.T) {
	now := time.Unix(1000, 0)
	var b bucket
	l := limit{rate: 2, burst: 10}
	count := func(n int, step time.Duration) (through int) {
		for range n {
			now = now.Add(step)
			if b.take(l, now) {
				through++
			}
		}
		return through
	}
	if n := count(100, 0); n != 10 {
		t.Errorf("%d at once, want 10", n)
	}
	if n := count(1000, 100*time.Millisecond); n < 199 || n > 201 {
		t.Errorf("%d in 100 s at 2 a second", n)
	}
	if n := count(50, time.Second); n != 50 {
		t.Errorf("%d of 50, one a second", n)
	}
	now = now.Add(time.Hour)
	if n := count(100, 0); n != 10 {
		t.Errorf("%d at once after an hour, want 10", n)
	}
	now = now.Add(-time.Hour) // a clock that was put back
	if n := count(1, 0); n != 0 {
		t.Error("a clock that is put back gives a new burst")
	}
}
