package trainer

import (
	"sync"
	"time"
)

// monotonic is a clock that never goes back: where now does, it stands still for
// that moment and then goes on at now's pace. Readings of [time.Now] carry a
// monotonic one, by which they are compared, so that they pass as they are; a
// clock without one may be set back while a run is under way.
func monotonic(now func() time.Time) func() time.Time {
	var mu sync.Mutex
	var last time.Time
	var lost time.Duration // how far it was set back in all
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
