package gtp

import (
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

// prepareForClock makes the agent while no clock runs, if there will be one: on a loaded machine this may
// take seconds.
func (e *Engine) prepareForClock() {
	if e.clocks[0].Limited() {
		e.prepare()
	}
}

// limit sets the deadline of the agent's next decision, for color, which began at a time. An
// agent that knows no deadlines decides in its own time.
func (e *Engine) limit(color game.Player, began time.Time) {
	agent, ok := e.agent.(player.Deadlined)
	if !ok {
		return
	}
	deadline := clock.Deadline{}
	if c := &e.clocks[color]; c.Limited() {
		deadline = c.Allot(e.horizon.Pace(e.State(), color)).From(began)
	}
	agent.SetDeadline(deadline)
}

// seconds reads n numbers, each a number of seconds or of stones, at least 0.
func seconds(args []string, n int) ([]time.Duration, error) {
	list := make([]time.Duration, n)
	for i := range list {
		if i >= len(args) {
			return nil, errSyntax
		}
		// Some controllers write seconds with decimals.
		x, err := strconv.ParseFloat(args[i], 64)
		if err != nil || !(x >= 0 && x <= 1e9) {
			return nil, errSyntax
		}
		list[i] = time.Duration(x * float64(time.Second))
	}
	return list, nil
}

// count converts a number read by seconds to a number of stones or periods.
func count(d time.Duration) int { return int(d / time.Second) }

// timeSettings takes "MAIN PERIOD STONES". A period without stones means no limit, as do
// settings without any time.
func timeSettings(e *Engine, args []string) (string, error) {
	v, err := seconds(args, 3)
	if err != nil {
		return "", err
	}
	s := clock.Settings{Main: v[0]}
	switch stones := count(v[2]); {
	case v[1] > 0 && stones == 0:
		s = clock.Settings{}
	case v[1] > 0:
		s.Period, s.Moves = v[1], stones
	}
	e.setClocks(s)
	e.prepareForClock()
	return "", nil
}

// timeSystems are the kinds of settings that kgs-time_settings and kata-time_settings name, with
// the number of their arguments.
var timeSystems = []struct {
	name string
	args int
	make func(v []time.Duration) clock.Settings
}{
	{"none", 0, func([]time.Duration) clock.Settings { return clock.Settings{} }},
	{"absolute", 1, func(v []time.Duration) clock.Settings { return clock.Settings{Main: v[0]} }},
	{"byoyomi", 3, func(v []time.Duration) clock.Settings {
		return clock.Settings{Main: v[0], Period: v[1], Periods: count(v[2])}
	}},
	{"canadian", 3, func(v []time.Duration) clock.Settings {
		return clock.Settings{Main: v[0], Period: v[1], Moves: count(v[2])}
	}},
	{"fischer", 2, func(v []time.Duration) clock.Settings { return clock.Settings{Main: v[0], Increment: v[1]} }},
}

// namedTimeSettings takes the name of a time system and its numbers.
func namedTimeSettings(e *Engine, args []string) (string, error) {
	if len(args) == 0 {
		return "", errSyntax
	}
	for _, system := range timeSystems {
		if system.name != args[0] {
			continue
		}
		v, err := seconds(args[1:], system.args)
		if err != nil {
			return "", err
		}
		s := system.make(v)
		if s.Period == 0 || s.Periods == 0 && s.Moves == 0 { // no overtime after all
			s.Period, s.Periods, s.Moves = 0, 0, 0
		}
		if s.Validate() != nil {
			return "", errTimeSettings
		}
		e.setClocks(s)
		e.prepareForClock()
		return "", nil
	}
	return "", errTimeSettings
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
	v, err := seconds(args[1:], 2)
	if err != nil {
		return "", err
	}
	e.clocks[color].Correct(v[0], count(v[1]))
	return "", nil
}
