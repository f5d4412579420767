package evaluation

import "time"

// Evaluations between iterations take at most MaxShare of the time of a process, and Options.Floor
// however short that is, which is Floor except in tests.
const (
	MaxShare = 0.1
	Floor    = 5 * time.Second
)

// budget bounds the time of evaluations. Its results decide which networks are evaluated,
// and nothing else.
type budget struct {
	now   func() time.Time
	began time.Time
	floor time.Duration
	spent time.Duration // by evaluations
	last  time.Duration // by the last one; 0 before the first
	games int           // that were played in self-play
	took  time.Duration // by these
	told  bool          // that an evaluation is put off
}

func newBudget(now func() time.Time, floor time.Duration) budget {
	return budget{now: now, began: now(), floor: floor}
}

// played notes the games of an iteration, and the time for which the run waited for them.
func (b *budget) played(games int, took time.Duration) {
	b.games += games
	b.took += took
}

// expected returns the time of an evaluation with a number of games: that of the last one, and
// before that the time that so many games take in self-play.
func (b *budget) expected(games int) time.Duration {
	if b.last > 0 {
		return b.last
	}
	return time.Duration(float64(b.took) / float64(max(1, b.games)) * float64(games))
}

// share returns the share of the time that evaluations have taken so far, at most MaxShare,
// to which they come back.
func (b *budget) share() float64 {
	return min(MaxShare, float64(b.spent)/float64(max(1, b.now().Sub(b.began))))
}

// allows reports whether an evaluation may take a time now.
func (b *budget) allows(d time.Duration) bool {
	share := time.Duration(MaxShare * float64(b.now().Sub(b.began)))
	return b.spent+d <= max(b.floor, share)
}

// putOff notes that an evaluation is put off. It returns true if none was since the last one that
// was made.
func (b *budget) putOff() (first bool) {
	first = !b.told
	b.told = true
	return first
}

// measure measures an evaluation until the function that it returns is called.
func (b *budget) measure() (end func()) {
	began := b.now()
	return func() {
		b.last = b.now().Sub(began)
		b.spent += b.last
		b.told = false
	}
}
