package trainer

import "time"

// idleTime sums up the time for which workers find no game to begin. Its zero value has none.
type idleTime struct {
	since time.Time     // when a worker found none; zero: games are being begun
	sum   time.Duration // before since
}

// begin notes that a worker has found no game. It asks for the time if no worker has before.
func (t *idleTime) begin(now func() time.Time) {
	if t.since.IsZero() {
		t.since = now()
	}
}

// running reports whether workers find no game.
func (t *idleTime) running() bool { return !t.since.IsZero() }

// end notes that there are games again.
func (t *idleTime) end(now func() time.Time) {
	if t.running() {
		t.sum += now().Sub(t.since)
		t.since = time.Time{}
	}
}

// take returns the time since the last call.
func (t *idleTime) take(now func() time.Time) time.Duration {
	if t.running() {
		now := now()
		t.sum += now.Sub(t.since)
		t.since = now
	}
	d := t.sum
	t.sum = 0
	return d
}
