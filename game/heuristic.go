package game

import (
	"fmt"
	"strings"
	"sync"
)

// Heuristic estimates the values of positions for searches of limited depth. Its functions get
// states of the game that offers it. They modify nothing, do not allocate, and depend only on
// their arguments: states with equal hashes have equal values. A Heuristic is safe for concurrent
// use.
//
// Values that are whole numbers, or sums of few powers of two, are exactly equal for equal
// positions, however a state was reached.
type Heuristic struct {
	Name    string // "fast"
	Summary string // one line for help texts

	// Low and High bound Value, for all states and players: finite, Low < High.
	Low, High float64
	// Value returns the value of s to p: higher is better for p. It may be called at any time,
	// whoever is to move, chance included; for a finished game it is the value of the result.
	// With two players the sum of the two values should be constant, so that max^n is minimax.
	Value func(s State, p Player) float64

	// Gain, if not nil, returns what p gains when the current player of s, not chance, plays a:
	// the value of a line of play is the sum of its gains and the Value of its last position.
	// Outcomes of chance have no gain.
	Gain func(s State, a Action, p Player) float64
	// TurnLow and TurnHigh bound the gain of p in one turn, or in part of one, of any player:
	// TurnLow <= 0 <= TurnHigh. Both are 0 without Gain. Turned.Turn counts turns; without it, a
	// turn lasts until another player is to move.
	TurnLow, TurnHigh float64
}

// Valued is a Game with its own heuristics, the default first. Their names differ.
type Valued interface{ Heuristics() []Heuristic }

// Undoer is a State that can undo actions, so that searches need not copy it. Undo reverts the
// last Apply since the last CopyFrom that is not yet reverted; the state is then equal to what it
// was before. It does not allocate.
type Undoer interface{ Undo() }

// Skipper is a State in which a player can be skipped. Skip is called at the beginning of a turn,
// when CurrentPlayer is a player; it ends this turn without an action and begins the next
// player's. Best-reply search uses it.
type Skipper interface{ Skip() }

// Heuristics returns the heuristics for g: the game's own, then those that follow from other
// abilities. "score" is a player's raw score less the mean of the others', for a Measured game
// whose states are Scored. "result" is the utility of a finished game; before the end it is the
// mean utility of all players, or 1/2 if utilities have no constant sum. The list is never empty;
// the first is the default.
func Heuristics(g Game) []Heuristic {
	var list []Heuristic
	if v, ok := g.(Valued); ok {
		list = append(list, v.Heuristics()...)
	}
	if m, ok := g.(Measured); ok {
		if _, ok := g.NewState().(Scored); ok {
			list = append(list, scoreHeuristic(g, m))
		}
	}
	return append(list, resultHeuristic(g))
}

// HeuristicOf returns the heuristic of g with the name, or the default for "". An error lists the
// names.
func HeuristicOf(g Game, name string) (Heuristic, error) {
	list := Heuristics(g)
	names := make([]string, len(list))
	for i, h := range list {
		if h.Name == name || name == "" {
			return h, nil
		}
		names[i] = h.Name
	}
	return Heuristic{},
		fmt.Errorf("%s has no heuristic called %q; it has %s",
			g.Name(), name, strings.Join(names, ", "))
}

// vectors pools vectors of a number per player, which would escape to the heap as local
// variables.
var vectors = sync.Pool{New: func() any { return new([MaxPlayers]float32) }}

func scoreHeuristic(g Game, m Measured) Heuristic {
	low, high := m.ScoreBounds()
	players := g.Players()
	h := Heuristic{
		Name: "score", Summary: "the raw score, less the mean of the others'",
		Low: low - high, High: high - low,
	}
	if players == 1 {
		h.Summary, h.Low, h.High = "the raw score", low, high
	}
	h.Value = func(s State, p Player) float64 {
		scores := vectors.Get().(*[MaxPlayers]float32)
		defer vectors.Put(scores)
		s.(Scored).Scores(scores[:])
		own, others := float64(scores[p]), 0.0
		if players == 1 {
			return own
		}
		for q := range players {
			if Player(q) != p {
				others += float64(scores[q])
			}
		}
		return own - others/float64(players-1)
	}
	return h
}

// ResultHeuristic is the name of the heuristic that every game has: the utility of a finished game.
const ResultHeuristic = "result"

func resultHeuristic(g Game) Heuristic {
	even := 0.5
	if c, ok := g.(ConstantSum); ok {
		even = c.UtilitySum() / float64(g.Players())
	}
	return Heuristic{
		Name: ResultHeuristic, Summary: "the utility, once the game is over",
		Low: 0, High: 1,
		Value: func(s State, p Player) float64 {
			if s.CurrentPlayer() != Nobody {
				return even
			}
			utilities := vectors.Get().(*[MaxPlayers]float32)
			defer vectors.Put(utilities)
			s.Returns(utilities[:])
			return float64(utilities[p])
		},
	}
}
