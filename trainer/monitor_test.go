package trainer

import (
	"testing"
	"time"
)

// The time left counts down between estimates, never below a second, and is 0 while it is unknown.
func TestTimeLeft(t *testing.T) {
	at := time.Unix(1000, 0)
	now := func() time.Time { return at }
	var m Monitor
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
			t.Errorf("%v after an estimate of %v, %v are left; want %v", step.later, step.estimate, got, step.want)
		}
	}
}
