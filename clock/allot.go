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
