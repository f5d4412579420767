package game

import (
	"cmp"
	"fmt"
	"math/rand/v2"
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

// Strategy is a rule by which a player chooses actions without search. Its functions
// take randomness from rng only and do not allocate. A Strategy is safe for concurrent
// use.
type Strategy struct {
	Name    string // "fast"
	Summary string // one line for help texts

	// Choose returns the action that the current player of s plays. It does not change s,
	// and depends only on what that player can see.
	Choose func(s State, rng *rand.Rand) Action
	// Rollout, if not nil, is a faster equivalent of the function Rollout.
	Rollout func(s State, epsilon float64, rng *rand.Rand)
}

// Strategic is a Game with its own strategies. Their names are distinct, and none is
// "random".
type Strategic interface{ Strategies() []Strategy }

// Strategies lists the strategies for g: the game's own, then "random", which plays
// uniformly over the legal actions.
func Strategies(g Game) []Strategy {
	var list []Strategy
	if s, ok := g.(Strategic); ok {
		list = append(list, s.Strategies()...)
	}
	return append(list, Strategy{
		Name: "random", Summary: "uniformly at random", Choose: randomAction,
	})
}

// StrategyOf returns the strategy of g with the given name. The error for an unknown
// name lists the names.
func StrategyOf(g Game, name string) (Strategy, error) {
	list := Strategies(g)
	names := make([]string, len(list))
	for i, q := range list {
		if q.Name == name {
			return q, nil
		}
		names[i] = q.Name
	}
	return Strategy{},
		fmt.Errorf("%s has no strategy called %q; it has %s",
			g.Name(), name, strings.Join(names, ", "))
}

// Rollout plays s to its end. Each action of each player is drawn uniformly among the
// legal ones with probability epsilon, and chosen by the strategy otherwise.
func Rollout(s State, q *Strategy, epsilon float64, rng *rand.Rand) {
	if q.Rollout != nil {
		q.Rollout(s, epsilon, rng)
		return
	}
	for {
		switch s.CurrentPlayer() {
		case Nobody:
			return
		case Chance:
			s.Apply(s.(Chancer).Sample(rng))
		default:
			if epsilon > 0 && rng.Float64() < epsilon {
				s.Apply(randomAction(s, rng))
			} else {
				s.Apply(q.Choose(s, rng))
			}
		}
	}
}

// actionLists is a pool of buffers for legal actions.
var actionLists = sync.Pool{New: func() any { return new([]Action) }}

// randomAction draws a legal action uniformly.
func randomAction(s State, rng *rand.Rand) Action {
	buf := actionLists.Get().(*[]Action)
	defer actionLists.Put(buf)
	*buf = s.LegalActions((*buf)[:0])
	return (*buf)[rng.IntN(len(*buf))]
}

// Solvable is a Game for two players with a solver of its own, which is faster than a search of all
// positions.
type Solvable interface {
	// NewSolver makes a solver with tables of about the given size in bytes. An error says why
	// this game can't be solved.
	NewSolver(bytes int) (Solver, error)
}

// Tabled is a Game for two players whose exact values can be read from a file.
type Tabled interface {
	// OpenTable reads a file, for solvers that share it. An error says what is wrong with the file,
	// or why this game has none.
	OpenTable(path string) (Solvable, error)
}

// Solver finds the exact values of positions of one game. It is used by one goroutine, and keeps
// what it found for later positions.
type Solver interface {
	// Solve appends what each legal action of s is worth, in ascending order of the actions, and
	// returns the extended slice. A player is to move in s.
	Solve(s State, dst []Solved) []Solved
}

// Solved is what an action is worth if both players play perfectly afterwards: for the best result,
// then to win as soon as they can, or to lose as late as they can. In games with chance the value
// is the mean.
type Solved struct {
	Action    Action
	Value     [2]float32 // the utility of each player
	Plies     int        // until the game is over, the action included; 0 in games with chance
	Positions int64      // searched for the action
}

// Compare is positive if player p does better with a than with b, negative if worse, and 0 if both
// are worth the same. Of wins the sooner is better, of losses the later.
func (a *Solved) Compare(b *Solved, p Player) int {
	if c := cmp.Compare(a.Value[p], b.Value[p]); c != 0 {
		return c
	}
	switch own, other := a.Value[p], a.Value[1-p]; {
	case own > other:
		return cmp.Compare(b.Plies, a.Plies)
	case own < other:
		return cmp.Compare(a.Plies, b.Plies)
	}
	return 0
}

// BestSolved returns the best of solved for player p, the first of equal ones.
func BestSolved(solved []Solved, p Player) *Solved {
	best := &solved[0]
	for i := range solved {
		if solved[i].Compare(best, p) > 0 {
			best = &solved[i]
		}
	}
	return best
}

// Abstracted is a Game with an abstraction: a smaller game that a search uses in its
// place, such as that of representative moves (Taucer, Polk and Oommen, AIAI 2018).
// Abstraction returns nil if the game is itself the smaller one.
type Abstracted interface{ Abstraction() Abstraction }

// RootAbstracted is a Game with an abstraction in which the turn at the root keeps its
// real actions; later turns are as in Abstracted. It is nil where Abstracted has none.
type RootAbstracted interface{ RootAbstraction() Abstraction }

// Abstraction maps the states of a game to states of a derived game, and actions back.
// It is safe for concurrent use. To play by it: search the image of the position,
// realise the action found and play it; then repeat from the new real position.
type Abstraction interface {
	// Game is the derived game. It is used like any other game.
	Game() Game
	// Abstract makes dst, a state of the derived game, the image of src, a state of the
	// original game in which a player is to move. Current player and turn are the same in
	// both. It does not allocate.
	Abstract(dst, src State)
	// Realise returns the legal action of src that a, a legal action of src's image,
	// stands for.
	Realise(src State, a Action) Action
}

// Features is a Game that describes actions by feature vectors, from which classes of
// similar actions can be found without knowledge of the game. A vector describes what
// an action does.
type Features interface {
	// FeatureNames names the elements of a feature vector.
	FeatureNames() []string
	// Describe writes the features of a, a legal action of s, to
	// dst[0:len(FeatureNames())]. It does not allocate.
	Describe(dst []float32, s State, a Action)
}
