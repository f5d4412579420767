package clock

import "time"

// lag is by how much moves overrun what was expected of them. Most of it follows from how busy the
// machine is, and will come again. But a process may also be stopped for seconds, once: by its
// user, or since the machine sleeps or is moved. What is kept back for a second stall of that kind
// is lost to all moves to come, and no stall comes. So the longest overrun alone counts for little:
// three times usual is kept back, which is the longest but one, and nothing longer enters the mean.
// Both react to the second slow move. A quantile of the last moves would need more of them: on a
// machine that is slow now and then, the second is often the last that the clock can stand.
type lag struct {
	mean  time.Duration // of all, those longer than usual with usual
	usual time.Duration // the longest but one of late
	worst time.Duration // the longest of late
	known time.Duration // of earlier games
	moves int           // observed in this game
}

// newLag returns what is assumed before anything has been measured: up to 5 ms, and of a short
// clock its 200th part.
func newLag(s Settings) lag {
	worst := min(5*time.Millisecond, max(s.Main, s.Period)/200)
	return lag{mean: worst / 5, usual: worst, worst: worst}
}

// observe counts a move that overran its time by d, with a share of at least 1/weight in the mean.
func (l *lag) observe(d time.Duration, weight int) {
	d = max(d, 0)
	l.moves++
	l.worst -= l.worst / 64
	l.usual -= l.usual / 64
	l.usual = max(l.usual, min(d, l.worst))
	l.worst = max(l.worst, d)
	l.mean += (min(d, l.usual) - l.mean) / time.Duration(min(l.moves+1, weight))
}

// anew returns what is known at the beginning of a game: of the game before the usual overrun, but
// no more than four times the mean. So what a slow machine does again and again is known, and two
// stalls in a game are all but forgotten.
func (l *lag) anew(s Settings) lag {
	fresh := newLag(s)
	if fresh.known = l.known; l.moves > 0 {
		fresh.known = min(l.usual, 4*l.mean)
	}
	fresh.usual = max(fresh.usual, fresh.known)
	fresh.worst = fresh.usual
	return fresh
}

// surprise returns the time to keep back of a time t in case that the longest overrun comes again:
// half as much again as it took, but no more than a quarter of t, so that one stall takes no more
// than that of the moves after it.
func (l *lag) surprise(t time.Duration) time.Duration { return min(l.worst+l.worst/2, t/4) }
