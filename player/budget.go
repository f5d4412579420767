package player

import (
	"fmt"
	"time"

	"tengen/configs"
	"tengen/internal/spec"
)

// maxTime is the longest time that users may set.
const maxTime = 24 * time.Hour

// timedNodes is the greatest number of nodes of a tree that time alone limits.
const timedNodes = 1 << 17

// budget returns a search's budget as Parse reads it.
func budget(simulations int, limit time.Duration) string {
	switch {
	case limit == 0:
		return fmt.Sprintf("simulations=%d", simulations)
	case simulations == 0:
		return fmt.Sprintf("time=%v", limit)
	}
	return fmt.Sprintf("simulations=%d,time=%v", simulations, limit)
}

// readBudget reads key and time, of which one or both may be given. If only time is given,
// simulations is 0: no limit.
func readBudget(v *spec.Values, key string) (simulations int, limit time.Duration) {
	if v.Given("time") {
		var err error
		limit, err = time.ParseDuration(v.String("time"))
		if err != nil || limit <= 0 || limit > maxTime {
			v.Fail("time", "a duration such as 1s or 250ms is wanted, up to 24h")
		}
		if !v.Given(key) {
			return 0, limit
		}
	}
	return v.Int(key, 1, configs.MaxSimulations), limit
}

// room returns the options for package mcts: the simulations and, if only time limits them,
// MaxNodes.
func room(simulations int, limit time.Duration) (most, nodes int) {
	if limit > 0 && simulations == 0 {
		return configs.MaxSimulations, timedNodes
	}
	return simulations, 0
}
