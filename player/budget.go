package player

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/configs"
	"tengen/internal/notation"
	"tengen/mcts"
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

// ByClock returns p without its limit of simulations or iterations, for searches whose deadlines a
// clock sets: they end by these alone. It returns nil for a player without such a limit, or one
// that knows no deadlines. The memory of networks is shared.
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

// Limit returns the number of simulations or iterations that a player makes a move, and the key
// that sets it; 0 and "" if it has no such limit.
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

// EarlyStop says whether a search ends before its budget is spent, once no other action can be
// chosen any more. The zero value is EarlyByClock.
type EarlyStop uint8

const (
	// EarlyByClock ends searches early where a clock limits the game, so that the time is left to
	// later moves. A limit in time for each move, or in simulations, is used up: what more is found
	// may serve the next move.
	EarlyByClock EarlyStop = iota
	EarlyAlways
	EarlyNever
)

// earlyStopper is a search that can stop early.
type earlyStopper interface{ SetEarlyStop(on bool) }

// earlyParam is the key of EarlyStop.
var earlyParam = notation.Param{Key: "early_stop", Help: "true: end a search once no other action can be chosen; false: use up what it may; default: true if a clock limits the game, else false"}

// readEarly reads earlyParam.
func readEarly(v *notation.Values) EarlyStop {
	switch {
	case !v.Given("early_stop"):
		return EarlyByClock
	case v.Bool("early_stop"):
		return EarlyAlways
	}
	return EarlyNever
}

// key returns ",early_stop=…" for a player's name, "" for the default.
func (e EarlyStop) key() string {
	switch e {
	case EarlyAlways:
		return ",early_stop=true"
	case EarlyNever:
		return ",early_stop=false"
	}
	return ""
}

// on reports whether a search ends early, by the clock of a game or not.
func (e EarlyStop) on(byClock bool) bool {
	return e == EarlyAlways || e == EarlyByClock && byClock
}

var (
	leavesParam = notation.Param{
		Key: "leaves", Help: "evaluations that a search awaits at once, 1 to 256, or auto: what suits the budget and, with time, what is fastest here; default: auto with time or clock, else 1",
	}
	virtualLossParam = notation.Param{
		Key: "virtual_loss", Default: "0",
		Help: "with leaves: weight with which a simulation under way counts as lost",
	}
)

// readLeaves reads leavesParam: 0 if it is not given.
func readLeaves(v *notation.Values) int {
	switch {
	case !v.Given("leaves"):
		return 0
	case v.String("leaves") == "auto":
		return mcts.AutoBatchSize
	}
	c := configs.Default()
	if err := c.SetKey("search.leaves", v.String("leaves")); err != nil {
		v.Fail("leaves", strings.Replace(err.Error(), " is wanted", " or auto is wanted", 1))
	}
	return c.Search.Leaves
}

// leavesKey returns ",leaves=…" and ",virtual_loss=…" for a player's name, "" for the defaults.
func leavesKey(o mcts.PUCT) (text string) {
	switch o.BatchSize {
	case 0:
	case mcts.AutoBatchSize:
		text = ",leaves=auto"
	default:
		text = ",leaves=" + strconv.Itoa(o.BatchSize)
	}
	if o.VirtualLoss > 0 {
		text += ",virtual_loss=" + strconv.FormatFloat(o.VirtualLoss, 'g', -1, 64)
	}
	return text
}

// Alone lets the search of a network's player that thinks about one position at a time await
// several evaluations at once, as leaves=auto does, unless the player was parsed with a number of
// leaves. It changes p, which must not be in use.
func Alone(p Player) {
	if n, ok := as[*AlphaZero](p); ok && n.PUCT.BatchSize == 0 {
		n.PUCT.BatchSize = mcts.AutoBatchSize
	}
}
