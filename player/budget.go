package player

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tengen/configs"
	"tengen/internal/notation"
)

// maxTime is the longest time that users may set.
const maxTime = 24 * time.Hour

// timedNodes is the greatest number of nodes of a tree that time alone limits.
const timedNodes = 1 << 17

// budget returns a search's budget as Parse reads it. key is the name of the simulations.
func budget(key string, simulations int, limit time.Duration, c *GameClock) string {
	var parts []string
	if simulations > 0 || limit == 0 && c == nil {
		parts = append(parts, fmt.Sprintf("%s=%d", key, simulations))
	}
	if limit > 0 {
		parts = append(parts, fmt.Sprintf("time=%v", limit))
	}
	if c != nil {
		parts = append(parts, "clock="+c.String())
	}
	return strings.Join(parts, ",")
}

// ByClock returns p without its limit of simulations or iterations, for searches whose deadlines a clock sets: they
// end by these alone. It returns nil for a player without such a limit, or one that knows no deadlines. The memory of
// networks is shared.
func ByClock(p Player) Player {
	switch p := p.(type) {
	case UCT:
		if p.Simulations > 0 {
			p.Simulations, p.Time = 0, cmp.Or(p.Time, maxTime)
			return p
		}
	case *AlphaZero:
		if p.PUCT.Simulations > 0 {
			n := *p
			n.PUCT.Simulations, n.Time = 0, cmp.Or(p.Time, maxTime)
			return &n
		}
	case *Descent:
		if p.Options.Iterations > 0 {
			d := &Descent{
				Label: p.Label, Weights: p.Weights, Params: p.Params, PassedOver: p.PassedOver,
				Options: p.Options, Clock: p.Clock, Safe: p.Safe, Canonical: p.Canonical,
			}
			d.Options.Iterations, d.Options.Time = 0, cmp.Or(p.Options.Time, maxTime)
			return d
		}
	}
	return nil
}

// Limit returns the number of simulations or iterations that a player makes a move, and the key that sets it; 0 and ""
// if it has no such limit.
func Limit(p Player) (n int, key string) {
	if n = Simulations(p); n > 0 {
		return n, "simulations"
	}
	if d, ok := as[*Descent](p); ok && d.Options.Iterations > 0 {
		return d.Options.Iterations, "iterations"
	}
	return 0, ""
}

// readBudget reads key and time, of which one or both may be given. If only time or clock is
// given, simulations is 0: no limit.
func readBudget(v *notation.Values, key string) (simulations int, limit time.Duration) {
	if v.Given("time") {
		var err error
		limit, err = time.ParseDuration(v.String("time"))
		if err != nil || limit <= 0 || limit > maxTime {
			v.Fail("time", "a duration such as 1s or 250ms is wanted, up to 24h")
		}
	}
	if !v.Given(key) && (v.Given("time") || v.Given("clock")) {
		return 0, limit
	}
	return v.Int(key, 1, configs.MaxSimulations), limit
}

// room returns the options for package mcts: the simulations and, if only time limits them,
// MaxNodes.
func room(simulations int, timed bool) (most, nodes int) {
	if timed && simulations == 0 {
		return configs.MaxSimulations, timedNodes
	}
	return simulations, 0
}
