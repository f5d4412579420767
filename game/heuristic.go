package game

import (
	"fmt"
	"strings"
	"sync"
)

// Heuristic is one way in which a game values positions, for searches that
// stop before the end. Its functions are given states of the game that offers
// it, change nothing, allocate nothing, and depend on nothing but their
// arguments: states with equal hashes have equal values. A Heuristic is safe
// for concurrent use.
//
// Values that are whole numbers, or sums of few powers of two, keep equal
// positions exactly equal, however a state was reached.
type Heuristic struct {
	Name    string // "fast"
	Summary string // one line for help texts

	// Low and High bound Value, for all states and players: finite, Low < High.
	Low, High float64
	// Value is what p holds s to be worth to itself: the more, the better for
	// p. It may be asked at any time, whoever is to move, chance included; of a
	// finished game it is the value of the result. With two players the two
	// values should have the same sum everywhere, which makes max^n minimax.
	Value func(s State, p Player) float64

	// Gain, if not nil, is what p gains when the mover of s, a player, plays a:
	// the worth of a line of play is the sum of its gains and the Value of its
	// last position. Outcomes of chance bring nothing.
	Gain func(s State, a Action, p Player) float64
	// TurnLow and TurnHigh bound what p may gain in one turn, or in part of
	// one, by whomever it is played: TurnLow <= 0 <= TurnHigh. Both are 0
	// without Gain. A turn is what Turned.Turn counts, else all that a player
	// does until another is to move.
	TurnLow, TurnHigh float64
}

// Valued is a Game with heuristics of its own. The first is the default. Their
// names differ.
type Valued interface{ Heuristics() []Heuristic }

// Undoer is a State that can take back what was done to it, which saves a
// search from copying. Undo takes back the last Apply since the last CopyFrom or
// Undo that is not taken back yet; the state is then equal to what it was. It
// does not allocate.
type Undoer interface{ Undo() }

// Skipper is a State in which a player may be passed over. Skip is called at
// the beginning of a turn, where CurrentPlayer is a player; that turn is then over
// without an action, and the next player's begins. Best-reply search uses it.
type Skipper interface{ Skip() }

// Heuristics lists what a search may value positions of g by: the game's own
// heuristics, then what its other abilities give. "score" is a player's raw score
// less the mean of the others', for a game that is Measured with states that
// are Scored; "result" is the utility of a finished game and, before, the mean
// of the utilities of all players, or 1/2 where these have no constant sum.
// There is always at least one; the first is the default.
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

// HeuristicOf is the heuristic of g with the name, the default one for "". An
// error lists the names that there are.
func HeuristicOf(g Game, name string) (Heuristic, error) {
	list := Heuristics(g)
	names := make([]string, len(list))
	for i, h := range list {
		if h.Name == name || name == "" {
			return h, nil
		}
		names[i] = h.Name
	}
	return Heuristic{}, fmt.Errorf("%s has no heuristic called %q; it has %s", g.Name(), name, strings.Join(names, ", "))
}

// vectors lends room for a number for each player, which would escape to the
// heap at every call if it were a local variable.
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

func resultHeuristic(g Game) Heuristic {
	even := 0.5
	if c, ok := g.(ConstantSum); ok {
		even = c.UtilitySum() / float64(g.Players())
	}
	return Heuristic{
		Name: "result", Summary: "the utility, once the game is over",
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
