package clock

import "time"

// Pace is what a player still has to do in a game, the move at hand included. Zero values are
// unknown.
type Pace struct {
	Moves float64 // to be expected
	Most  float64 // at most
}

// Limit is the time for one move.
type Limit struct {
	// Plan is the time that the move should take, and Latest that after which the flag falls or
	// a period is lost.
	Plan, Latest time.Duration
}

// From returns the deadline of a move that began at a time.
func (l Limit) From(began time.Time) Deadline {
	return Deadline{Plan: began.Add(l.Plan), Latest: began.Add(l.Latest)}
}

// spare is the number of moves for which time is left beyond those expected.
const spare = 2

// Allot returns the time for the move at hand. It is for clocks with a limit only. The plan is
// 0 if a move has to be made at once.
//
// In the main time it is an equal share for each move to be expected, and what an increment
// brings. Where overtime follows it is at least what a move has there; in overtime it is the
// period, or an equal share of it. Periods of byo-yomi are not spent on purpose. What is kept back
// for moves that overrun their time depends on how much earlier moves did; one that stood out takes
// at most a quarter of the time of those after it.
func (c *Clock) Allot(p Pace) Limit {
	left, s := c.left, c.settings
	usual := c.unseen() + 3*c.lag.usual
	limit := Limit{Latest: left.Time}
	switch {
	case left.Overtime && s.Periods > 0:
		limit.Plan = left.Time - max(usual, kept(left.Time), c.lag.surprise(left.Time))
	case left.Overtime:
		limit.Plan = min(share(left.Time-usual, float64(max(1, left.Moves))+s.reserve()),
			left.Time-c.lag.surprise(left.Time))
	case s.Period > 0:
		each := share(s.Period, float64(s.Moves)+s.reserve())
		limit.Latest += each
		limit.Plan = min(max(share(left.Time, p.Moves+spare), each),
			limit.Latest-max(usual, kept(each), c.lag.surprise(each)))
	default:
		moves := max(1, p.Moves)
		rest := left.Time - c.each(moves, p.Most)
		rest -= max(usual, c.lag.surprise(min(s.Main/2, rest)))
		limit.Plan = min(share(rest, moves+spare)+s.Increment*9/10, rest)
	}
	limit.Plan = max(limit.Plan, 0)
	limit.Latest = max(limit.Latest-c.unseen(), 0)
	limit.Plan = min(limit.Plan, limit.Latest)
	c.planned = limit.Plan
	return limit
}

// reserve is the part of a move's time that goes from move to move in Canadian overtime, so that
// the last move of a period has time to spare: a tenth of a short period, one move of a long one.
func (s Settings) reserve() float64 { return min(float64(s.Moves)/10, 1) }

// kept returns what is kept back of a period of byo-yomi at least: every move may use it up, and
// the first stall of the machine comes as a surprise.
func kept(period time.Duration) time.Duration { return min(period/10, 300*time.Millisecond) }

// share divides a time.
func share(d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) / max(1, by))
}

// unseen returns the time of a move that a remote clock counts and this one does not. Where moves
// overrun their time since the machine is busy, question and answer wait as long.
func (c *Clock) unseen() time.Duration {
	if !c.Remote {
		return 0
	}
	return c.way.mean + c.lag.mean
}

// each returns the time to keep back for what all moves to come overrun, of which there are
// perhaps more than expected.
func (c *Clock) each(moves, most float64) time.Duration {
	n := 2*moves + 10
	if most > 0 {
		n = min(n, most)
	}
	return time.Duration(n * float64(c.lag.mean+c.unseen()))
}

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
