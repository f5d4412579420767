package player

import "tengen/internal/notation"

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
