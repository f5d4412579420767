package clock

import "time"

// Clock counts the time of one player, in one game after another, and allots it to moves. The
// zero value has no limit.
type Clock struct {
	// Remote means that another clock decides, which also counts what this one does not see: the
	// way of a question and its answer. Spend adds an estimate of it, which Correct improves.
	Remote bool

	settings Settings
	left     Left
	fallen   bool
	planned  time.Duration // by Allot for the move under way; -1: not at all
	lag      lag           // by which moves overrun what was planned for them
	way      lag           // to a remote clock and back, on a quiet machine
	unsure   time.Duration // of the main time spent, what was only estimated
}

// Left is the remaining time of a player.
type Left struct {
	Overtime bool
	Time     time.Duration // of the main time, or of the current period of overtime
	Periods  int           // of byo-yomi, the current one included; in the main time all
	Moves    int           // of Canadian overtime, to be made in this period
}

// New returns the clock of a player.
func New(s Settings) Clock {
	c := Clock{}
	c.Set(s)
	return c
}

// Set changes the settings, and gives the time of a new game, as Restart does.
func (c *Clock) Set(s Settings) {
	c.settings = s
	c.Restart()
}

// Restart gives the time of a new game. What was measured of the machine is forgotten, unless it
// came again and again.
func (c *Clock) Restart() {
	way := max(c.way.mean, newLag(c.settings).worst)
	c.lag, c.way = c.lag.anew(c.settings), c.way.anew(c.settings)
	c.way.mean = way
	c.fallen, c.planned, c.unsure = false, -1, 0
	c.left = Left{Time: c.settings.Main, Periods: c.settings.Periods}
	if c.settings.Main <= 0 {
		c.begin()
	}
}

// begin begins a period of overtime, if there is overtime.
func (c *Clock) begin() {
	if c.settings.Period > 0 {
		c.left.Overtime, c.left.Time, c.left.Moves = true, c.settings.Period, c.settings.Moves
	}
}

// Settings returns the settings.
func (c *Clock) Settings() Settings { return c.settings }

// Limited reports whether there is a limit.
func (c *Clock) Limited() bool { return c.settings.Limited() }

// Left returns the remaining time.
func (c *Clock) Left() Left { return c.left }

// Fallen reports whether the flag has fallen: the time was over before a move was made.
func (c *Clock) Fallen() bool { return c.fallen }

// Spend counts a move that took d, and reports whether it was made in time.
func (c *Clock) Spend(d time.Duration) bool {
	if !c.Limited() {
		return true
	}
	d = max(d, 0)
	if c.planned >= 0 {
		c.lag.observe(d-c.planned, 16)
		c.planned = -1
	}
	return c.count(d, c.unseen())
}

// count subtracts the time of a move, as it was seen here and what was not.
func (c *Clock) count(d, unseen time.Duration) bool {
	d += unseen
	if !c.left.Overtime {
		if c.unsure += unseen; d <= c.left.Time {
			c.left.Time += c.settings.Increment - d
			return true
		}
		// Canadian overtime that begins here before it does on a remote clock would end later too,
		// with more moves in the period than there are. So it begins when it certainly has.
		if c.unsure -= d - c.left.Time; c.settings.Moves > 0 && c.unsure > 0 {
			c.left.Time = 0
			return true
		}
		d -= c.left.Time
		c.left.Time = 0
		c.begin()
	}
	for d > c.left.Time && c.left.Overtime && c.left.Periods > 1 {
		d -= c.left.Time
		c.left.Periods--
		c.left.Time = c.settings.Period
	}
	switch {
	case d > c.left.Time:
		c.fallen = true
		c.left.Time = 0
		return false
	case c.settings.Periods > 0, c.left.Moves == 1:
		c.begin()
	default:
		c.left.Time -= d
		c.left.Moves--
	}
	return true
}

// Correct takes the remaining time from another clock: time, and n as the Go Text Protocol has
// it: 0 in the main time, else the moves to be made in this period, or the periods of byo-yomi.
// Without a limit before, there is one from now on.
//
// Many programs send whole seconds. So a time in whole seconds does not raise the one counted here
// by less than a second.
func (c *Clock) Correct(left time.Duration, n int) {
	left = max(left, 0)
	told := Left{Time: left, Periods: c.settings.Periods}
	switch {
	case n > 0 && c.settings.Periods > 0:
		told.Overtime, told.Periods = true, min(n, c.settings.Periods)
	case n > 0:
		told.Overtime, told.Moves = true, n
		if c.settings.Period == 0 { // nobody has told of it
			c.settings.Period, c.settings.Moves, c.settings.Increment = max(left, 1), n, 0
		}
	case !c.Limited():
		c.settings.Main = max(left, 1)
	}
	own := c.left
	c.left, c.fallen, c.unsure = told, false, 0
	less := own.Time - left
	if own.Time = left; told != own { // in another period
		return
	}
	switch whole := left%time.Second == 0; {
	case !whole && !told.Overtime:
		c.way.observe(max(0, c.way.mean+less), 4)
	case whole && less > -time.Second:
		c.left.Time += min(less, 0)
	}
}
