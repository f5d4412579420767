package player

import (
	"sync/atomic"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/notation"
)

// GameClock is the clock of a player: its agents play each game within the settings, in each
// seat that they hold. It counts what all of them overstep.
type GameClock struct {
	clock.Settings
	fallen atomic.Int64
}

// Fallen returns the number of games so far, of all agents, in which a clock was overstepped. An
// agent then plays on without time.
func (c *GameClock) Fallen() int { return int(c.fallen.Load()) }

// Clocked is a Player that may have a clock, nil for none.
type Clocked interface{ GameClock() *GameClock }

// ClockOf returns the clock of a player, nil if it has none.
func ClockOf(p Player) *GameClock {
	if c, ok := as[Clocked](p); ok {
		return c.GameClock()
	}
	return nil
}

// Deadlined is an Agent whose decisions can have a deadline. SetDeadline sets that of the
// decisions that begin later, in place of the player's own clock; the zero value removes it.
type Deadlined interface{ SetDeadline(d clock.Deadline) }

// setDeadline is SetDeadline of an agent that may have it.
func setDeadline(a Agent, d clock.Deadline) {
	if x, ok := a.(Deadlined); ok {
		x.SetDeadline(d)
	}
}

// timekeeper plays by the clock of a player: it sets the deadline of the search for each
// decision. The zero value has no clock.
type timekeeper struct {
	search  Deadlined
	player  *GameClock    // nil: none
	clocks  []clock.Clock // [players]; nil: none
	horizon *Horizon
	outer   clock.Deadline // from outside
	early   EarlyStop
	// drawn means that the next decision is drawn from the visits, of which there are to be as
	// many as the budget allows.
	drawn bool

	now   func() time.Time
	mover game.Player // whose clock runs
	began time.Time
}

// newTimekeeper makes the timekeeper of an agent in games of g that decides by search.
func newTimekeeper(g game.Game, c *GameClock, early EarlyStop, search Deadlined) timekeeper {
	k := timekeeper{search: search, player: c, early: early, now: time.Now, mover: game.Nobody}
	if c != nil {
		k.horizon = NewHorizon(g)
		for range g.Players() {
			k.clocks = append(k.clocks, clock.New(c.Settings))
		}
	}
	return k
}

// SetDeadline implements Deadlined.
func (k *timekeeper) SetDeadline(d clock.Deadline) {
	k.outer = d
	k.search.SetDeadline(d)
}

// begin begins a game.
func (k *timekeeper) begin() {
	k.mover = game.Nobody
	for i := range k.clocks {
		k.clocks[i].Restart()
	}
}

// startClock starts the clock of the player to move in s, before the search.
func (k *timekeeper) startClock(s game.State) {
	if x, ok := k.search.(earlyStopper); ok {
		x.SetEarlyStop(!k.drawn && k.early.on(k.clocks != nil || k.outer != (clock.Deadline{})))
	}
	if k.clocks == nil || k.outer != (clock.Deadline{}) {
		return
	}
	k.began, k.mover = k.now(), s.CurrentPlayer()
	k.search.SetDeadline(k.clocks[k.mover].Allot(k.horizon.Pace(s, k.mover)).From(k.began))
}

// stopClock stops the clock that runs, after the decision.
func (k *timekeeper) stopClock() {
	if k.mover == game.Nobody {
		return
	}
	c := &k.clocks[k.mover]
	k.mover = game.Nobody
	fallen := c.Fallen()
	if !c.Spend(k.now().Sub(k.began)) && !fallen {
		k.player.fallen.Add(1)
	}
}

// clockParam is the key of the clock.
var clockParam = notation.Param{
	Key: "clock", Help: "time for each seat in a game, allotted to its moves: " + clock.Notation +
		"; default: no limit",
}

// readClock reads clockParam.
func readClock(v *notation.Values) *GameClock {
	if !v.Given("clock") {
		return nil
	}
	s, err := clock.Parse(v.String("clock"))
	if err != nil {
		v.Fail("clock", err.Error())
		return nil
	}
	return &GameClock{Settings: s}
}
