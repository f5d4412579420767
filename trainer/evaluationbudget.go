package trainer

import "time"

// Evaluations between iterations take at most evaluationShare of the time of a process, and
// Plan.EvaluationFloor however short that is, which is evaluationFloor except in tests.
const (
	evaluationShare = 0.1
	evaluationFloor = 5 * time.Second
)

// evaluationBudget bounds the time of evaluations. Its results decide which networks are evaluated,
// and nothing else.
type evaluationBudget struct {
	now   func() time.Time
	began time.Time
	floor time.Duration
	spent time.Duration // by evaluations
	last  time.Duration // by the last one; 0 before the first
	games int           // that were played in self-play
	took  time.Duration // by these
	told  bool          // that an evaluation is put off
}

func newEvaluationBudget(now func() time.Time, floor time.Duration) evaluationBudget {
	return evaluationBudget{now: now, began: now(), floor: floor}
}

// played notes the games of an iteration, and the time for which the run waited for them.
func (b *evaluationBudget) played(games int, took time.Duration) {
	b.games += games
	b.took += took
}

// expected returns the time of an evaluation with a number of games: that of the last one, and
// before that the time that so many games take in self-play.
func (b *evaluationBudget) expected(games int) time.Duration {
	if b.last > 0 {
		return b.last
	}
	return time.Duration(float64(b.took) / float64(max(1, b.games)) * float64(games))
}

// share returns the share of the time that evaluations have taken so far, at most evaluationShare,
// to which they come back.
func (b *evaluationBudget) share() float64 {
	return min(evaluationShare, float64(b.spent)/float64(max(1, b.now().Sub(b.began))))
}

// allows reports whether an evaluation may take a time now.
func (b *evaluationBudget) allows(d time.Duration) bool {
	share := time.Duration(evaluationShare * float64(b.now().Sub(b.began)))
	return b.spent+d <= max(b.floor, share)
}

// putOff notes that an evaluation is put off. It returns true if none was since the last one that
// was made.
func (b *evaluationBudget) putOff() (first bool) {
	first = !b.told
	b.told = true
	return first
}

// measure measures an evaluation until the function that it returns is called.
func (b *evaluationBudget) measure() (end func()) {
	began := b.now()
	return func() {
		b.last = b.now().Sub(began)
		b.spent += b.last
		b.told = false
	}
}
