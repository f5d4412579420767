package history

import "time"

// paced is the number of iterations, the last ones, that Left uses.
const paced = 5

// Left estimates the time that a run in progress needs to finish all iterations, from the
// last ones of its process; false if it can't. It leaves out the first iteration of a run,
// in which UCT plays games alone.
func (r *Run) Left(all int, now time.Time) (time.Duration, bool) {
	rows := r.Iterations.Rows
	rows = rows[max(0, len(rows)-paced-1):]
	for len(rows) > 0 && (rows[0].Iteration <= 1 || rows[0].Time.Before(r.Began)) {
		rows = rows[1:]
	}
	if len(rows) < 2 || r.Iteration() >= all {
		return 0, false
	}
	first, last := rows[0], rows[len(rows)-1]
	each := last.Time.Sub(first.Time) / time.Duration(last.Iteration-first.Iteration)
	left := float64(all - last.Iteration)
	if more, ok := r.iterationsLeft(len(rows)); ok {
		left = min(left, more)
	}
	return max(0, time.Duration(float64(each)*left)-max(0, now.Sub(last.Time))), true
}

// iterationsLeft returns the number of iterations, if they are as the last ones, until
// training.evaluations are spent; false if there is no such limit.
func (r *Run) iterationsLeft(last int) (float64, bool) {
	if r.Config == nil || r.Config.Training.Evaluations == 0 {
		return 0, false
	}
	t := &r.Iterations
	n := len(t.Rows)
	asked := t.Column("evaluations_asked")
	done := asked(n - 1)
	each := (done - asked(n-last)) / float64(t.Rows[n-1].Iteration-t.Rows[n-last].Iteration)
	if !(each > 0) { // the figures are missing, or UCT plays all games
		return 0, false
	}
	return max(0, float64(r.Config.Training.Evaluations)-done) / each, true
}

// Took returns the seconds that a run has taken over all processes, up to the end of its last
// iteration or evaluation.
func (r *Run) Took() float64 {
	_, took := r.latest()
	return took
}

// Share returns the share of the run that is done when it has taken a number of seconds: see
// configs.Config.Share. It is 0 if the configuration can't be read.
func (r *Run) Share(seconds float64) float64 {
	if r.Config == nil {
		return 0
	}
	asked, _ := r.Iterations.Last("evaluations_asked")
	return r.Config.Share(r.Iteration(), asked, seconds)
}

// latest returns the end of the last iteration or evaluation, and the seconds of the run then.
func (r *Run) latest() (at time.Time, took float64) {
	if n := len(r.Iterations.Rows); n > 0 {
		at = r.Iterations.Rows[n-1].Time
		took, _ = r.Iterations.Last("elapsed_seconds")
	}
	// A log of an older version does not tell how long it took up to an evaluation.
	if n := len(r.Evaluations.Rows); n > 0 && r.Evaluations.Rows[n-1].Strength != nil {
		if e := &r.Evaluations.Rows[n-1]; e.Strength.Elapsed > took {
			at, took = e.Time, e.Strength.Elapsed
		}
	}
	return at, took
}

// Elapsed returns the seconds that a run in progress has taken over all processes: those at
// the end of its last iteration or evaluation, and the time since then in its process.
func (r *Run) Elapsed(now time.Time) float64 {
	at, took := r.latest()
	if r.Began.After(at) {
		at = r.Began
	}
	if at.IsZero() {
		return took
	}
	return took + max(0, now.Sub(at).Seconds())
}
