package trainer

import (
	"sync"
	"time"
)

// monotonic returns a clock that never goes back. If now goes back, the clock repeats its
// last reading and then continues at now's pace. It returns readings of [time.Now]
// unchanged, because these carry a monotonic reading; other clocks may be set back during
// a run. The clock is safe for concurrent use if now is.
func monotonic(now func() time.Time) func() time.Time {
	var mu sync.Mutex
	var last time.Time
	var lost time.Duration // sum of all steps back
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t := now().Add(lost)
		if back := last.Sub(t); back > 0 && !last.IsZero() {
			lost += back
			t = t.Add(back)
		}
		last = t
		return t
	}
}
