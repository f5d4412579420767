package minimax

import (
	"fmt"
	"math"
	"time"

	"tengen/game"
)

// Opponents is the model of the players other than the one at the root.
type Opponents uint8

const (
	// Paranoid opponents all minimise the value of the player at the root.
	// With two players this is minimax.
	Paranoid Opponents = iota
	// MaxN players each maximise their own value; among equals they take the
	// action that is first in ascending order. Prune and Star have no effect.
	MaxN
	// BestReply lets one opponent move between two turns of the player at the root.
	// All turns between these two count as one.
	BestReply
)

var opponentNames = []string{"paranoid", "maxn", "brs"}

// String returns the name that ParseOpponents reads.
func (o Opponents) String() string {
	if int(o) < len(opponentNames) {
		return opponentNames[o]
	}
	return fmt.Sprintf("Opponents(%d)", uint8(o))
}

// ParseOpponents reads "paranoid", "maxn" or "brs".
func ParseOpponents(text string) (Opponents, error) {
	for i, name := range opponentNames {
		if name == text {
			return Opponents(i), nil
		}
	}
	return 0, fmt.Errorf("opponents are %q; paranoid, maxn or brs is wanted", text)
}

// MaxDepth bounds Options.Depth.
const MaxDepth = 10_000

// Options describe a search. The zero value is plain search to the end of the game.
type Options struct {
	// Heuristic values positions; the zero value stands for the game's default one.
	Heuristic game.Heuristic

	// Depth is the number of turns searched, at most MaxDepth; 0: no limit.
	Depth int
	// Time and Nodes limit a search with all its determinizations; 0: no limit.
	// With either, or with Prune and a Table, the search deepens iteratively, and
	// stops when no line was cut short by the depth.
	Time  time.Duration
	Nodes int64

	Opponents Opponents
	// Prune turns alpha-beta pruning on.
	Prune bool
	// Star prunes at chance nodes, together with Prune: 0 (not), 1 or 2.
	Star int
	// Table is the size of the transposition table in bytes, rounded down to a
	// power of two; 0: none.
	Table int

	// Samples is the number of outcomes drawn at a chance state; 0: all are enumerated.
	Samples int
	// Determinizations is how often what the player at the root can't see is
	// drawn; 0: the state is searched as it is. In a game with perfect information
	// determinizations differ in their samples only.
	Determinizations int

	// RandomTies draws among the best actions at the root.
	RandomTies bool
	// Ties, if not nil, takes the action of least rank among the best at the root, of equal
	// rank the first, or with RandomTies one drawn from them.
	Ties func(a game.Action) int
	// Direct searches Depth without the lower depths first, if there is no other limit.
	Direct bool
	// Longhand ignores game.Undoer and the game's Shortcuts, with the same results.
	Longhand bool

	// Clock returns the time; nil: time.Now.
	Clock func() time.Time
}

// Validate returns an error that names an option out of range for searches of g.
func (o Options) Validate(g game.Game) error {
	h := o.Heuristic
	switch {
	case o.Depth < 0 || o.Depth > MaxDepth:
		return fmt.Errorf("minimax: depth is %d; a number from 0 to %d is wanted",
			o.Depth, MaxDepth)
	case o.Time < 0:
		return fmt.Errorf("minimax: time is %v; at least 0 is wanted", o.Time)
	case o.Nodes < 0:
		return fmt.Errorf("minimax: nodes is %d; at least 0 is wanted", o.Nodes)
	case o.Opponents > BestReply:
		return fmt.Errorf("minimax: opponents is %d; 0 to %d is wanted", o.Opponents, BestReply)
	case o.Star < 0 || o.Star > 2:
		return fmt.Errorf("minimax: star is %d; 0, 1 or 2 is wanted", o.Star)
	case o.Table < 0:
		return fmt.Errorf("minimax: table is %d bytes; at least 0 is wanted", o.Table)
	case o.Samples < 0:
		return fmt.Errorf("minimax: samples is %d; at least 0 is wanted", o.Samples)
	case o.Determinizations < 0:
		return fmt.Errorf("minimax: determinizations is %d; at least 0 is wanted",
			o.Determinizations)
	case h.Value == nil && h.Gain != nil:
		return fmt.Errorf("minimax: heuristic %q has no Value", h.Name)
	case h.Value != nil && !(h.Low < h.High && !math.IsInf(h.Low, 0) && !math.IsInf(h.High, 0)):
		return fmt.Errorf("minimax: heuristic %q of %s is bounded by %g and %g; two finite numbers, low < high, are wanted", h.Name, g.Name(), h.Low, h.High)
	case !(h.TurnLow <= 0 && h.TurnHigh >= 0) || math.IsInf(h.TurnLow, 0) ||
		math.IsInf(h.TurnHigh, 0):
		return fmt.Errorf("minimax: the gains of heuristic %q of %s are bounded by %g and %g; two finite numbers, low <= 0 <= high, are wanted", h.Name, g.Name(), h.TurnLow, h.TurnHigh)
	}
	return nil
}

// iterates reports whether the search deepens iteratively.
func (o *Options) iterates() bool {
	if o.Time > 0 || o.Nodes > 0 {
		return true
	}
	return !o.Direct && o.Depth != 1 && o.Prune && o.Table > 0 && o.Opponents != MaxN
}
