package gtp

import (
	"math"
	"time"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
)

// clock has the time settings of a player. Canadian overtime: once the main time is spent, a
// number of stones must be played in every period.
type clock struct {
	limited bool
	main    time.Duration
	period  time.Duration
	stones  int // in a period; 0 is none
	left    [2]timeLeft
}

// timeLeft is the remaining time of a colour: main time if stones is 0, else of a period in
// which that many stones are still to be played.
type timeLeft struct {
	time   time.Duration
	stones int
}

// set applies time_settings. A period without stones means no limit, as do settings without any
// time.
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

// spend subtracts the time of a move of color from its clock. A controller corrects it with
// time_left.
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

// reserve is the fraction of the time that is left unused, for the controller and the
// connection to it.
const reserve = 0.1

// allot returns the time for a move of color, if that many moves, including this one, are still
// to come.
func (c *clock) allot(color game.Player, moves int) time.Duration {
	l := c.left[color]
	share := float64(l.time) / float64(max(1, moves))
	if l.stones > 0 {
		share = float64(l.time) / float64(l.stones)
	} else if c.stones > 0 { // if the main time runs out, a period's share is left
		share = max(share, min(float64(l.time), float64(c.period)/float64(c.stones)))
	}
	return time.Duration(max(0, (1-reserve)*share))
}

// probe is the number of simulations with which an engine measures its speed.
const probe = 16

// budget sets the agent's simulations to what its time allows, at most those of its player. It
// does nothing for players without a number of simulations.
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
		// A colour plays half of the empty points, and a few moves more when the board is full.
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

// measure measures a short search of the position by another agent.
func (e *Engine) measure() error {
	agent, evaluator := e.config.Player.NewAgent(e.game), e.config.Player.NewEvaluator(e.game, 1)
	agent.Begin(stream.New(e.config.Seed, stream.Arena, e.number, e.begun))
	agent.(player.Budgeted).SetSimulations(probe)
	began := e.config.Now()
	_, err := player.Decide(agent, e.State(), evaluator)
	e.rate = probe / max(e.config.Now().Sub(began).Seconds(), 1e-6)
	return err
}

// spent subtracts the time of a move from the clock, and updates the measured speed of the
// search.
func (e *Engine) spent(color game.Player, d time.Duration) {
	e.clock.spend(color, d)
	if agent, ok := e.agent.(player.Searching); ok && d > 0 {
		if n := agent.Result().Stats().Simulations; n >= probe {
			e.rate = float64(n) / d.Seconds()
		}
	}
}

// simulationsOf returns a player's simulations a move, 0 if it has no such number.
func simulationsOf(p player.Player) int {
	switch p := p.(type) {
	case player.UCT:
		return p.Simulations
	case *player.AlphaZero:
		return p.PUCT.Simulations
	}
	return 0
}
