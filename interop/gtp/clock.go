package gtp

import (
	"math"
	"time"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
)

// clock is the time that a player has. Canadian overtime: once the main time is
// spent, so many stones must be played in every period.
type clock struct {
	limited bool
	main    time.Duration
	period  time.Duration
	stones  int // in a period; 0 is none
	left    [2]timeLeft
}

// timeLeft is what a colour has: main time where stones is 0, else a period in
// which so many stones are still to be played.
type timeLeft struct {
	time   time.Duration
	stones int
}

// set makes the settings those of time_settings. A period without stones means
// that there is no limit, as does no time at all.
func (c *clock) set(main, period time.Duration, stones int) {
	*c = clock{main: main, period: period, stones: stones}
	c.limited = !(period > 0 && stones == 0) && (main > 0 || period > 0)
	c.restart()
}

// restart gives both colours the time of a new game.
func (c *clock) restart() {
	first := timeLeft{time: c.main}
	if c.main <= 0 && c.stones > 0 {
		first = timeLeft{c.period, c.stones}
	}
	c.left = [2]timeLeft{first, first}
}

// spend takes the time of a move of color off its clock. A controller that says
// time_left corrects what is wrong with it.
func (c *clock) spend(color game.Player, d time.Duration) {
	l := &c.left[color]
	l.time -= d
	switch {
	case l.stones > 1:
		l.stones--
	case l.stones == 1 || l.time <= 0 && c.stones > 0:
		*l = timeLeft{c.period, c.stones}
	}
}

// reserve is the part of the time that is not used, for what a controller and
// the way to it take.
const reserve = 0.1

// allot is how long color may think about a move of which, itself counted, so
// many are to come.
func (c *clock) allot(color game.Player, moves int) time.Duration {
	l := c.left[color]
	share := float64(l.time) / float64(max(1, moves))
	if l.stones > 0 {
		share = float64(l.time) / float64(l.stones)
	} else if c.stones > 0 { // the main time may run out: then a period's share is left
		share = max(share, min(float64(l.time), float64(c.period)/float64(c.stones)))
	}
	return time.Duration(max(0, (1-reserve)*share))
}

// probe is the number of simulations by which an engine finds out how fast it is.
const probe = 16

// budget has the seat make as many simulations as its time allows, up to those of
// its player. Players who do not count simulations are left alone.
func (e *Engine) budget(color game.Player) error {
	all := simulationsOf(e.config.Player)
	agent, ok := e.agent.(player.Budgeted)
	if all == 0 || !ok {
		return nil
	}
	n := all
	if e.clock.limited {
		if e.rate == 0 {
			if err := e.measure(); err != nil {
				return err
			}
		}
		// Half of the empty points are a colour's; the game goes on for a few
		// moves when the board is full.
		moves := 5
		for _, a := range e.play.LegalActions() {
			if a != e.pass() {
				moves++
			}
		}
		allowed := e.clock.allot(color, (moves+1)/2)
		n = int(min(float64(all), max(1, math.Floor(e.rate*allowed.Seconds()))))
	}
	agent.SetSimulations(n)
	return nil
}

// measure has another agent make a short search of the position.
func (e *Engine) measure() error {
	agent, evaluator := e.config.Player.NewAgent(e.game), e.config.Player.NewEvaluator(e.game, 1)
	agent.Begin(stream.New(e.config.Seed, stream.Arena, e.number, e.begun))
	agent.(player.Budgeted).SetSimulations(probe)
	began := e.config.Now()
	_, err := player.Decide(agent, e.State(), evaluator)
	e.rate = probe / max(e.config.Now().Sub(began).Seconds(), 1e-6)
	return err
}

// spent takes the time of a move off the clock, and learns from it how fast the
// search is.
func (e *Engine) spent(color game.Player, d time.Duration) {
	e.clock.spend(color, d)
	if agent, ok := e.agent.(player.Searching); ok && d > 0 {
		if n := agent.Result().Stats().Simulations; n >= probe {
			e.rate = float64(n) / d.Seconds()
		}
	}
}

// simulationsOf is how many simulations a move a player makes; 0 where it does
// not count them.
func simulationsOf(p player.Player) int {
	switch p := p.(type) {
	case player.UCT:
		return p.Simulations
	case *player.AlphaZero:
		return p.PUCT.Simulations
	}
	return 0
}
