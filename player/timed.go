package player

import (
	"fmt"
	"time"

	"tengen/internal/spec"
)

// Timed is a Player that may think for a measured time. Its moves depend on the
// clock, so its games can't be repeated, and it wants a goroutine, and a core,
// of its own while it thinks.
type Timed interface{ Timed() bool }

// IsTimed says whether a player thinks for a measured time.
func IsTimed(p Player) bool {
	t, ok := p.(Timed)
	return ok && t.Timed()
}

// maxTime bounds the time that a person may ask for.
const maxTime = 24 * time.Hour

// timedNodes is the size of a tree that time alone bounds.
const timedNodes = 1 << 17

// budget writes a search's budget as Parse reads it.
func budget(simulations int, limit time.Duration) string {
	switch {
	case limit == 0:
		return fmt.Sprintf("simulations=%d", simulations)
	case simulations == 0:
		return fmt.Sprintf("time=%v", limit)
	}
	return fmt.Sprintf("simulations=%d,time=%v", simulations, limit)
}

// readBudget reads the keys simulations and time, of which either may be given:
// simulations have no limit where time alone is.
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
	return v.Int(key, 1, maxSimulations), limit
}

// room is what package mcts is asked for: simulations and, where time alone
// bounds them, nodes.
func room(simulations int, limit time.Duration) (most, nodes int) {
	if limit > 0 && simulations == 0 {
		return maxSimulations, timedNodes
	}
	return simulations, 0
}
