package descent

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"tengen/game"
)

// DefaultMaxNodes is the default of Options.MaxNodes: about 80 MB with three
// players, if they are all needed.
const DefaultMaxNodes = 1 << 20

// mostNodes keeps the number of an edge within an int32.
const mostNodes = 1 << 27

// edgesPerNode bounds the edges of a tree, as a multiple of MaxNodes. Without
// transpositions there is one edge a node.
const edgesPerNode = 8

// Options describe a search.
type Options struct {
	// BestFirst ends an iteration when it has expanded a state (UBFM); without it
	// an iteration continues to the end of the game (Descent).
	BestFirst bool
	// Iterations is the budget of a search, that is of one move; 0: no limit.
	Iterations int
	// Time is the budget by the clock, which is read before each expansion; 0: no
	// limit. At least one of the two budgets is required.
	Time time.Duration
	// Terminal is the value of finished games. The zero value is the result.
	Terminal Terminal
	// MaxNodes bounds the states held; 0: DefaultMaxNodes. There is always room for
	// 2·(Actions + 1), so that the root can be expanded.
	MaxNodes int
}

// Check returns an error if g can't be searched with o: because it has chance or
// imperfect information, or lacks an ability that the terminal evaluation needs, or
// because an option is out of range.
func Check(g game.Game, o Options) error {
	if game.HasChance(g) {
		return fmt.Errorf("descent: %s has chance; best-first minimax wants a game without",
			g.Name())
	}
	if _, ok := g.NewState().(game.ImperfectInformation); ok {
		return fmt.Errorf(
			"descent: %s has hidden information; best-first minimax wants a game without", g.Name())
	}
	if err := o.Terminal.check(g); err != nil {
		return fmt.Errorf("descent: %w", err)
	}
	if err := o.checkBudget(); err != nil {
		return fmt.Errorf("descent: %w", err)
	}
	if o.MaxNodes < 0 || o.MaxNodes > mostNodes {
		return fmt.Errorf("descent: max nodes is %d; a number from 1 to %d is wanted, or 0 for %d",
			o.MaxNodes, mostNodes, DefaultMaxNodes)
	}
	return nil
}

// checkBudget returns an error if the budget is out of range.
func (o Options) checkBudget() error {
	switch {
	case o.Iterations < 0 || o.Iterations > maxIterations:
		return fmt.Errorf("iterations is %d; a number from 1 to %d is wanted, or 0 for no limit",
			o.Iterations, maxIterations)
	case o.Time < 0:
		return fmt.Errorf("time is %v; more than 0 is wanted, or 0 for no limit", o.Time)
	case o.Iterations == 0 && o.Time == 0:
		return errors.New("the search has no budget; iterations or time is wanted")
	}
	return nil
}

// maxIterations keeps visit counts, over the searches of a whole game, within
// an int32.
const maxIterations = 1 << 24

// Terminal says which of result, score and depth make up the value of a
// finished game. The base is
//
//	result          the utilities (State.Returns)
//	score           (score - low) / (high - low), by game.Scored and game.Measured
//	result+score    the mean of the two
//
// With depth (additive depth, Cohen-Solal 2020, section 5) it is drawn towards
// the neutral value n, the more the later the game ends:
//
//	v = n + (base - n)·(1 - plies / (PlyLimit + 1))
//
// with PlyLimit of game.Limited: quick wins are better than slow ones, slow losses
// better than quick ones, and no win is worse than any loss. n is an even share:
// the sum of the utilities (game.ConstantSum), or 1 where that is not constant,
// divided by the number of players; 1/2 with one player. The zero value, and depth
// alone, mean the result. Values lie in [0, 1].
type Terminal struct{ Result, Score, Depth bool }

// canonical returns t with the default base, if t has none.
func (t Terminal) canonical() Terminal {
	t.Result = t.Result || !t.Score
	return t
}

// String returns the text that ParseTerminal reads, such as "result+depth".
func (t Terminal) String() string {
	t = t.canonical()
	var parts []string
	for _, p := range []struct {
		on   bool
		name string
	}{{t.Result, "result"}, {t.Score, "score"}, {t.Depth, "depth"}} {
		if p.on {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, "+")
}

// ParseTerminal reads one or more of result, score and depth, with + between
// them. "depth" alone is "result+depth".
func ParseTerminal(text string) (Terminal, error) {
	var t Terminal
	for part := range strings.SplitSeq(text, "+") {
		var which *bool
		switch strings.TrimSpace(part) {
		case "result":
			which = &t.Result
		case "score":
			which = &t.Score
		case "depth":
			which = &t.Depth
		}
		if which == nil || *which {
			return Terminal{}, fmt.Errorf("terminal evaluation %q: result, score, depth, or several of them with + between are wanted", text)
		}
		*which = true
	}
	return t.canonical(), nil
}

// check returns an error if the game lacks an ability.
func (t Terminal) check(g game.Game) error {
	if t.Score {
		if _, ok := g.NewState().(game.Scored); !ok {
			return fmt.Errorf(
				"%s has no score (game.Scored), which the terminal evaluation %s needs",
				g.Name(), t)
		}
		if m, ok := g.(game.Measured); !ok {
			return fmt.Errorf("%s has no bounds of its scores (game.Measured), which the terminal evaluation %s needs", g.Name(), t)
		} else if low, high := m.ScoreBounds(); !(low < high) {
			return fmt.Errorf("%s has scores from %g to %g; for the terminal evaluation %s the first must be less", g.Name(), low, high, t)
		}
	}
	if t.Depth {
		if l, ok := g.(game.Limited); !ok {
			return fmt.Errorf("%s has no greatest length of a game (game.Limited), which the terminal evaluation %s needs", g.Name(), t)
		} else if l.PlyLimit() < 0 {
			return fmt.Errorf("%s has games of at most %d plies; for the terminal evaluation %s at least 0 is wanted", g.Name(), l.PlyLimit(), t)
		}
	}
	return nil
}

// Evaluate writes the value of a finished game, for each player, to
// dst[0:Players]. s, a state of g, was reached after plies actions. Evaluate panics
// where g lacks an ability that t needs, which Check reports.
func (t Terminal) Evaluate(g game.Game, s game.State, plies int, dst []float32) {
	r := newRating(g, t)
	s.Returns(dst)
	r.finished(s, plies, dst)
}

// rating turns results and evaluations into values. It holds a Terminal with the
// facts of its game.
type rating struct {
	players              int
	result, score, depth bool
	low, span            float64 // of scores
	limit                float64 // PlyLimit + 1
	neutral              float64 // an even share
	fixed                bool    // values sum to sum
	sum                  float64
}

func newRating(g game.Game, t Terminal) rating {
	t = t.canonical()
	r := rating{players: g.Players(), result: t.Result, score: t.Score, depth: t.Depth}
	r.neutral = 1 / float64(max(r.players, 2))
	if c, ok := g.(game.ConstantSum); ok {
		r.sum = c.UtilitySum()
		r.neutral = r.sum / float64(r.players)
		r.fixed = !t.Score
	}
	if t.Score {
		low, high := g.(game.Measured).ScoreBounds()
		r.low, r.span = low, high-low
	}
	if t.Depth {
		r.limit = float64(g.(game.Limited).PlyLimit()) + 1
	}
	return r
}

// finished replaces the utilities in v of s, a finished game, by its values.
func (r *rating) finished(s game.State, plies int, v []float32) {
	if r.score {
		var scores [game.MaxPlayers]float32
		s.(game.Scored).Scores(scores[:])
		for p := range v[:r.players] {
			score := (float64(scores[p]) - r.low) / r.span
			if r.result {
				score = (score + float64(v[p])) / 2
			}
			v[p] = float32(score)
		}
	}
	if r.depth {
		f := max(0, 1-float64(plies)/r.limit)
		for p := range v[:r.players] {
			v[p] = float32(r.neutral + (float64(v[p])-r.neutral)*f)
		}
		if r.fixed && r.players == 2 {
			r.opposite(float64(v[0]), v)
		}
	}
}

// evaluated writes the values of a state, given its evaluation, to v.
func (r *rating) evaluated(row, v []float32) {
	v = v[:r.players]
	total := 0.0
	for _, u := range row[:r.players] {
		total += float64(u)
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		r.even(v)
		return
	}
	switch {
	case !r.fixed:
		copy(v, row)
	case r.players == 2:
		r.opposite((float64(row[0])-float64(row[1])+r.sum)/2, v)
	default:
		d := (total - r.sum) / float64(r.players)
		for p := range v {
			v[p] = float32(float64(row[p]) - d)
			if math.IsInf(float64(v[p]), 0) { // beyond what a float32 holds
				r.even(v)
				return
			}
		}
	}
}

// even writes an even result to v.
func (r *rating) even(v []float32) {
	for p := range v {
		v[p] = float32(r.neutral)
	}
}

// opposite gives the first of two players x and the second the rest of the sum.
// x is rounded to a grid on which the difference is exact for ordinary values, so
// that the two players order all values in exactly opposite ways.
func (r *rating) opposite(x float64, v []float32) {
	const grid = 1 << 22
	x = math.RoundToEven(x*grid) / grid
	v[0], v[1] = float32(x), float32(r.sum-x)
}
