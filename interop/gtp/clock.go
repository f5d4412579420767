package gtp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/player"
)

// setClocks gives both colours the time of a new game.
func (e *Engine) setClocks(s clock.Settings) {
	for i := range e.clocks {
		e.clocks[i].Remote = true
		e.clocks[i].Set(s)
	}
}

// prepareForClock makes the agent while no clock runs, if there will be one: on a loaded machine
// this may take seconds.
func (e *Engine) prepareForClock() {
	if e.clocks[0].Limited() {
		e.prepareFor(0)
	}
}

// limit sets the deadline of the agent's next decision, for color, which began at a time. An
// agent that knows no deadlines decides in its own time. It returns until when the engine may look
// for dead stones to take where the agent passes: for as long again. The zero value is no limit.
func (e *Engine) limit(color game.Player, began time.Time) (until time.Time) {
	agent, ok := e.agent.(player.Deadlined)
	if !ok {
		return time.Time{}
	}
	deadline := clock.Deadline{}
	if c := &e.clocks[color]; c.Limited() {
		l := c.Allot(e.horizon.Pace(e.State(), color))
		deadline = l.From(began)
		until = began.Add(min(2*l.Plan, l.Plan/2+l.Latest/2))
	}
	agent.SetDeadline(deadline)
	return until
}

// maxSeconds is the longest time that is read.
const maxSeconds = 1e9

// seconds reads a time. Some controllers write seconds with decimals.
func seconds(text string) (time.Duration, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, ".0123456789") != "" || x > maxSeconds {
		return 0, syntax("%.40q is no time: seconds from 0 to %.0f are wanted, such as 60 or 1.5",
			text, float64(maxSeconds))
	}
	return time.Duration(x * float64(time.Second)), nil
}

// timeNumbers reads a time for each letter t of form, and for each n a number of stones or periods.
func timeNumbers(args []string, form string) (times []time.Duration, n int, err error) {
	if len(args) < len(form) {
		return nil, 0, syntax("the number of arguments after the system is %d, not %d",
			len(form), len(args))
	}
	for i, kind := range form {
		if kind == 'n' {
			n, err = parseWhole(args[i], 0)
		} else {
			var d time.Duration
			d, err = seconds(args[i])
			times = append(times, d)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	return times, n, nil
}

// timeSettings takes "MAIN PERIOD STONES". A period without stones means no limit, as do
// settings without any time.
func timeSettings(e *Engine, args []string) (string, error) {
	v, stones, err := timeNumbers(args, "ttn")
	if err != nil {
		return "", err
	}
	s := clock.Settings{Main: v[0]}
	switch {
	case v[1] > 0 && stones == 0:
		s = clock.Settings{}
	case v[1] > 0:
		s.Period, s.Moves = v[1], stones
	}
	return "", e.useClocks(s)
}

// useClocks sets clocks that a controller asks for.
func (e *Engine) useClocks(s clock.Settings) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("%w: %w", errTimeSettings, err)
	}
	e.setClocks(s)
	e.prepareForClock()
	return nil
}

// timeSystems are the kinds of settings that kgs-time_settings and kata-time_settings name, with
// the form of their arguments, as timeNumbers reads them.
var timeSystems = []struct {
	name, form string
	make       func(v []time.Duration, n int) clock.Settings
}{
	{"none", "", func([]time.Duration, int) clock.Settings { return clock.Settings{} }},
	{"absolute", "t", func(v []time.Duration, _ int) clock.Settings {
		return clock.Settings{Main: v[0]}
	}},
	{"byoyomi", "ttn", func(v []time.Duration, n int) clock.Settings {
		return clock.Settings{Main: v[0], Period: v[1], Periods: n}
	}},
	{"canadian", "ttn", func(v []time.Duration, n int) clock.Settings {
		return clock.Settings{Main: v[0], Period: v[1], Moves: n}
	}},
	{"fischer", "tt", func(v []time.Duration, _ int) clock.Settings {
		return clock.Settings{Main: v[0], Increment: v[1]}
	}},
}

// namedTimeSettings takes the name of a time system and its numbers.
func namedTimeSettings(e *Engine, args []string) (string, error) {
	if len(args) == 0 {
		return "", syntax("the name of a time system is wanted")
	}
	for _, system := range timeSystems {
		if system.name != args[0] {
			continue
		}
		v, n, err := timeNumbers(args[1:], system.form)
		if err != nil {
			return "", err
		}
		s := system.make(v, n)
		if s.Period == 0 || s.Periods == 0 && s.Moves == 0 { // no overtime after all
			s.Period, s.Periods, s.Moves = 0, 0, 0
		}
		return "", e.useClocks(s)
	}
	return "", fmt.Errorf("%w: there is no system %.40q", errTimeSettings, args[0])
}

// listTimeSettings answers kata-list_time_settings.
func listTimeSettings(*Engine, []string) (string, error) {
	var names []string
	for _, system := range timeSystems {
		names = append(names, system.name)
	}
	return strings.Join(names, " "), nil
}

func setTimeLeft(e *Engine, args []string) (string, error) {
	color, err := parseColor(args[0])
	if err != nil {
		return "", err
	}
	v, n, err := timeNumbers(args[1:], "tn")
	if err != nil {
		return "", err
	}
	e.clocks[color].Correct(v[0], n)
	return "", nil
}
