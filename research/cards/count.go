package cards

import (
	"context"
	"math"

	"tengen/game"
)

// table is a state of the trading-card game.
type table interface {
	game.State
	game.Turned
	Phase() string                              // "place", "target" or "act" where a player decides
	Targets(dst []game.Action) []game.Action    // one action for each opposing card
	Placements(dst []game.Action) []game.Action // one for each card in hand
}

// walker counts the leaves of searches of the trading-card game action by action, as a textbook
// search visits them: without transpositions, shortcuts or another order of actions. Alike
// representatives on a field are targets of their own. minimax.Searcher merges these.
type walker struct {
	ctx    context.Context
	last   int // Turn at which a position is a leaf
	value  func(s game.State, p game.Player) float64
	states []table
	g      game.Game
	legal  [][]game.Action // by ply
	leaves int64
	ended  error
}

// newWalker starts at s, a position of g in which a player is to move.
func newWalker(ctx context.Context, g game.Game, s game.State, depth int) *walker {
	w := &walker{
		ctx: ctx, g: g, value: game.Heuristics(g)[0].Value, last: s.(game.Turned).Turn() + depth,
	}
	w.grow(0)
	w.states[0].CopyFrom(s)
	return w
}

func (w *walker) grow(ply int) {
	for len(w.states) <= ply {
		w.states = append(w.states, w.g.NewState().(table))
		w.legal = append(w.legal, nil)
	}
}

// leaf reports whether the position of a ply is a leaf, or the count has ended.
func (w *walker) leaf(ply int) bool {
	s := w.states[ply]
	if w.leaves&0xfff == 0 && w.ended == nil {
		w.ended = w.ctx.Err()
	}
	if w.ended == nil && s.CurrentPlayer() != game.Nobody && s.Turn() < w.last {
		return false
	}
	w.leaves++
	return true
}

// enter puts the position after an action into the next ply.
func (w *walker) enter(ply int, a game.Action) {
	w.grow(ply + 1)
	w.states[ply+1].CopyFrom(w.states[ply])
	w.states[ply+1].Apply(a)
}

// actions returns the actions of the position of a ply, in the order nothing, heal, battle, attack.
// With must a card is placed if there is one.
func (w *walker) actions(ply int, must bool) []game.Action {
	s := w.states[ply]
	list := s.LegalActions(w.legal[ply][:0])
	switch s.Phase() {
	case "act":
		attack := list[2] // after nothing and heal
		list = append(s.Targets(list[:2]), attack)
	case "target":
		list = s.Targets(list[:0])
	case "place":
		if must && len(list) > 1 {
			list = append(list[:0], list[1:]...) // without Pass, which is the first
		}
	}
	w.legal[ply] = list
	return list
}

// every counts the leaves of full-width search.
func (w *walker) every(ply int) {
	if w.leaf(ply) {
		return
	}
	for _, a := range w.actions(ply, false) {
		w.enter(ply, a)
		w.every(ply + 1)
	}
}

// alphaBeta counts the leaves of alpha-beta, and returns the value to the player who begins. Each
// way to play the turn at the root has a full window, and players must place a card.
func (w *walker) alphaBeta(ply int, alpha, beta float64) float64 {
	s := w.states[ply]
	if w.leaf(ply) {
		return w.value(s, 0)
	}
	root := s.Turn() == w.states[0].Turn()
	best := math.Inf(-1)
	maximise := s.CurrentPlayer() == 0
	if !maximise {
		best = math.Inf(1)
	}
	for _, a := range w.actions(ply, true) {
		w.enter(ply, a)
		v := w.alphaBeta(ply+1, alpha, beta)
		if maximise {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
		if root {
			continue
		}
		if maximise {
			alpha = max(alpha, v)
		} else {
			beta = min(beta, v)
		}
		if alpha >= beta {
			break
		}
	}
	return best
}

// countApart counts the leaves of full-width search from s, alike targets apart.
func countApart(ctx context.Context, g game.Game, s game.State, depth int) (int64, error) {
	w := newWalker(ctx, g, s, depth)
	w.every(0)
	return w.leaves, w.ended
}

// realRoot is the game of the reading that gives the paper's counts: the newest card acts first.
const realRoot = "tcg:deck=benchmark,order=newest"

// countRealRoot counts the leaves of alpha-beta from the starting hand, with the real hand in the
// turn at the root, and representatives, averages of the position at the root, from the next on.
func countRealRoot(ctx context.Context, depth int) (int64, error) {
	g := game.Must(game.New(realRoot))
	x := g.(game.RootAbstracted).RootAbstraction()
	image := x.Game().NewState()
	x.Abstract(image, g.NewState())
	w := newWalker(ctx, x.Game(), image, depth)
	w.alphaBeta(0, math.Inf(-1), math.Inf(1))
	return w.leaves, w.ended
}
