package cards

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"tengen/game"
	"tengen/search/minimax"
)

// The trading-card game from the starting hand of the paper's Tables 2 and 3: by the rule of
// drawing as printed, and with a draw in every turn.
const (
	benchmark       = "tcg:deck=benchmark"
	benchmarkAlways = "tcg:deck=benchmark,draw=always"
	benchmarkDeck   = 20 // cards that each player has in its deck: 25 less the hand
)

// tableSize is the size of transposition tables, equal to that of the players.
const tableSize = 16 << 20

// Search is the cost and the result of one search.
type Search struct {
	Leaves  int64   `json:"leaves"` // positions valued
	Nodes   int64   `json:"nodes"`  // actions and outcomes made
	Seconds float64 `json:"seconds"`
	Value   float64 `json:"value"` // to the player who begins
}

// searched converts the result of a search.
func searched(r minimax.Result) Search {
	return Search{r.Leaves, r.Nodes, r.Elapsed.Seconds(), r.Value}
}

// plainOptions are the options of full-width search without pruning.
func plainOptions(depth int) minimax.Options { return minimax.Options{Depth: depth} }

// prunedOptions are the options of the player expectiminimax.
func prunedOptions(depth int) minimax.Options {
	return minimax.Options{Depth: depth, Prune: true, Star: 2, Table: tableSize}
}

// searchValue searches s, in which chance may be to move.
func searchValue(g game.Game, s game.State, o minimax.Options) (Search, error) {
	w, err := minimax.New(g, o)
	if err != nil {
		return Search{}, err
	}
	return searched(w.Evaluate(s, 0)), nil
}

// median searches s, in which a player is to move, several times, each time with an empty
// transposition table, and returns the result with the median time.
func median(g game.Game, s game.State, o minimax.Options, times int) (Search, error) {
	w, err := minimax.New(g, o)
	if err != nil {
		return Search{}, err
	}
	var found Search
	var seconds []float64
	for range times {
		w.Reset()
		found = searched(w.Search(s))
		seconds = append(seconds, found.Seconds)
	}
	slices.Sort(seconds)
	found.Seconds = seconds[times/2]
	return found, nil
}

// deepSearch searches s to a depth within a limit of time. If chance is to move it searches
// one outcome after another: done of all outcomes were searched, and the value is valid only if
// they are equal.
func deepSearch(
	ctx context.Context, g game.Game, s game.State, depth int, limit time.Duration,
	progress func(done, all int),
) (found Search, done, all int, err error) {
	outcomes := []game.Outcome{{Action: game.NoAction, Probability: 1}}
	if s.CurrentPlayer() == game.Chance {
		outcomes = s.(game.Chancer).Outcomes(outcomes[:0])
	}
	begun := time.Now()
	next := g.NewState()
	for i, o := range outcomes {
		left := limit - time.Since(begun)
		if err := ctx.Err(); err != nil || left <= 0 {
			return found, i, len(outcomes), err
		}
		next.CopyFrom(s)
		if o.Action != game.NoAction {
			next.Apply(o.Action)
		}
		options := prunedOptions(depth)
		options.Time = left
		w, err := minimax.New(g, options)
		if err != nil {
			return found, i, len(outcomes), err
		}
		r := w.Search(next)
		found.Leaves += r.Leaves
		found.Nodes += r.Nodes
		found.Seconds = time.Since(begun).Seconds()
		if r.Depth < depth && !r.Complete {
			return found, i, len(outcomes), nil
		}
		found.Value += o.Probability * r.Value
		progress(i+1, len(outcomes))
	}
	return found, len(outcomes), len(outcomes), nil
}

// counter counts the leaves of full-width search with every card of a deck, and of a hand, as
// a branch of its own, as the paper does. minimax.Searcher makes one branch of all copies of a
// card.
type counter struct {
	ctx    context.Context
	last   int // Turn at which a position is a leaf
	short  minimax.Shortcuts
	states []game.State
	g      game.Game
	room   [][]game.Outcome // by ply
	legal  [][]game.Action
	deck   [2]int // cards that each player has in its deck
	ended  error
}

// countLeaves counts the leaves at a depth in turns below the first position of the benchmark g.
func countLeaves(ctx context.Context, g game.Game, depth int) (int64, error) {
	c := &counter{
		ctx: ctx, g: g, short: minimax.ShortcutsOf(g, game.Heuristics(g)[0]),
		deck: [2]int{benchmarkDeck, benchmarkDeck},
	}
	c.grow(0)
	c.last = c.states[0].(game.Turned).Turn() + depth
	n := c.count(0, 0)
	return n, c.ended
}

// grow allocates the buffers of a ply.
func (c *counter) grow(ply int) {
	for len(c.states) <= ply {
		c.states = append(c.states, c.g.NewState())
		c.room = append(c.room, nil)
		c.legal = append(c.legal, nil)
	}
}

// count returns the number of leaves below the position of a ply. drawer is the player who draws
// next.
func (c *counter) count(ply int, drawer game.Player) int64 {
	c.grow(ply + 1)
	s, next := c.states[ply], c.states[ply+1]
	turn := s.(game.Turned).Turn()
	switch s.CurrentPlayer() {
	case game.Nobody:
		return 1
	case game.Chance:
		if turn == c.last {
			return 1
		}
		if c.ended == nil {
			c.ended = c.ctx.Err()
		}
		if c.ended != nil {
			return 0
		}
		n := int64(0)
		c.room[ply] = s.(game.Chancer).Outcomes(c.room[ply][:0])
		cards := c.deck[drawer]
		c.deck[drawer]--
		for _, o := range c.room[ply] {
			next.CopyFrom(s)
			next.Apply(o.Action)
			n += c.count(ply+1, drawer) * int64(math.Round(o.Probability*float64(cards)))
		}
		c.deck[drawer]++
		return n
	}
	if turn == c.last {
		return 1
	}
	mover := s.CurrentPlayer()
	c.legal[ply] = c.actions(s, c.legal[ply][:0])
	// The shortcut makes one branch of equal cards.
	if turn == c.last-1 && c.short.LastTurn != nil && !twice(c.legal[ply]) {
		if _, n, ok := c.short.LastTurn(s, s.CurrentPlayer(), math.Inf(-1), math.Inf(1)); ok {
			return n
		}
	}
	n := int64(0)
	for _, a := range c.legal[ply] {
		next.CopyFrom(s)
		next.Apply(a)
		to := mover
		if next.(game.Turned).Turn() > turn {
			to = 1 - mover
		}
		n += c.count(ply+1, to)
	}
	return n
}

// actions appends the legal actions, one for each of equal cards in hand.
func (c *counter) actions(s game.State, dst []game.Action) []game.Action {
	dst = s.LegalActions(dst)
	if t, ok := s.(table); ok && t.Phase() == "place" {
		return t.Placements(dst[:1]) // after placing none
	}
	return dst
}

// twice reports whether an action comes twice.
func twice(actions []game.Action) bool {
	for i, a := range actions {
		if slices.Contains(actions[i+1:], a) {
			return true
		}
	}
	return false
}

// agree returns an error unless two searches found the same value to the bit.
func (a Search) agree(b Search, what string) error {
	if a.Value != b.Value {
		return fmt.Errorf("%s: the plain search finds %v, the pruned one %v",
			what, a.Value, b.Value)
	}
	return nil
}
