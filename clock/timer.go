package clock

import "time"

// Deadline is when a search has to end. The zero value is no deadline.
type Deadline struct {
	Plan time.Time // it ends here
	// Latest is when the result must be there. The search ends before Plan if a few of its
	// longest steps would go beyond it.
	Latest time.Time
}

// Timer says when the time of a search is over.
type Timer struct {
	Now func() time.Time

	limit    time.Duration // of each search; 0: none
	deadline Deadline      // of each search that begins

	end     Deadline // of the search that has begun
	timed   bool
	began   time.Time
	last    time.Time     // when the current step began
	longest time.Duration // step of this search, or the longest but one of late
	worst   time.Duration // the longest step of late
	usual   time.Duration // the longest but one
}

// SetTime limits the time of searches that begin later; 0 removes the limit.
func (t *Timer) SetTime(d time.Duration) { t.limit = d }

// SetDeadline sets when searches that begin later have to end, besides SetTime. The zero value
// removes it.
func (t *Timer) SetDeadline(d Deadline) { t.deadline = d }

// steps is the number of longest steps for which there has to be time before Latest.
const steps = 3

// Begin begins a search.
func (t *Timer) Begin() {
	t.end = t.deadline
	t.timed = t.limit > 0 || t.end != Deadline{}
	if !t.timed {
		return
	}
	t.began = t.Now()
	t.last = t.began
	// A process that was stopped once has one long step, which is not to end the searches that
	// follow: see lag.
	t.worst -= t.worst / 8
	t.usual -= t.usual / 8
	t.longest = t.usual
	if plan := t.began.Add(t.limit); t.limit > 0 &&
		(t.end.Plan.IsZero() || plan.Before(t.end.Plan)) {
		t.end.Plan = plan
	}
}

// Timed reports whether the search that has begun has a limit of time.
func (t *Timer) Timed() bool { return t.timed }

// Limit returns the time that the search had when it began, 0 if it has no limit. It is at least
// a nanosecond else.
func (t *Timer) Limit() time.Duration {
	if !t.timed {
		return 0
	}
	return max(t.end.Plan.Sub(t.began), 1)
}

// Progress returns how long the search has lasted, and how long it may last still. It is for
// searches with a limit of time.
func (t *Timer) Progress() (spent, left time.Duration) {
	now := t.Now()
	return now.Sub(t.began), max(0, t.end.Plan.Sub(now))
}

// Late reports, at the end of a step of the search, whether its time is over.
func (t *Timer) Late() bool {
	if !t.timed {
		return false
	}
	now := t.Now()
	if t.end.Latest.IsZero() {
		return !now.Before(t.end.Plan)
	}
	t.step(now.Sub(t.last))
	t.last = now
	return !now.Before(t.end.Plan) || !now.Add(steps*t.longest).Before(t.end.Latest)
}

// step counts a step of the search.
func (t *Timer) step(d time.Duration) {
	t.longest = max(t.longest, d)
	t.usual = max(t.usual, min(d, t.worst))
	t.worst = max(t.worst, d)
}
