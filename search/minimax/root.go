package minimax

import (
	"math"

	"tengen/game"
	"tengen/internal/random"
)

// iterate searches all determinizations to one depth. complete means that no line was cut
// short; ok is false if a limit has stopped it.
func (w *Searcher) iterate(depth int) (complete, ok bool) {
	for i := range w.moves {
		w.moves[i].sum, w.moves[i].exact = 0, true
	}
	clear(w.sums())
	w.cut = false
	n := max(1, w.o.Determinizations)
	if n > 1 && w.o.Prune && w.o.Opponents != MaxN {
		ok = w.searchDeterminizations(depth)
		return ok && !w.cut, ok
	}
	for i := range n {
		w.enterDeterminization(i, depth)
		if !w.searchRoot() {
			return false, false
		}
	}
	return !w.cut, true
}

// enterDeterminization puts determinization i into frame 0, to be searched to a
// depth.
func (w *Searcher) enterDeterminization(i, depth int) {
	x := &w.determinizations[i]
	f := w.frames[0]
	f.state.CopyFrom(x.state)
	w.seed = x.seed
	w.salt = random.Mix(x.seed ^ random.Mix(uint64(w.me)+1))
	w.root.left = depth
	if w.turned {
		w.limit = f.turned.Turn() + depth
	}
}

// searchRoot values all actions of the determinization in frame 0. With Prune it is the only
// one, and actions that are no better than one before them get an upper bound. It returns false
// if a limit has stopped it.
func (w *Searcher) searchRoot() (ok bool) {
	f := w.frames[0]
	top, topPlace := -inf, 0
	for i := range w.moves {
		m := &w.moves[i]
		alpha := -inf
		if w.o.Prune {
			// An equal action counts if it comes before the best, or if ties are drawn.
			if alpha = top; m.place < topPlace || w.o.RandomTies || w.o.Ties != nil {
				alpha = math.Nextafter(top, -inf)
			}
		}
		var v float64
		exact, before := true, w.nodes
		switch {
		case w.o.Opponents == MaxN:
			for p := range w.players {
				w.vector[p] = w.gainOf(f, m.action, game.Player(p))
			}
			w.maxN(1, w.enter(0, m.action, w.me, w.root))
			w.leave(0)
			for p, v := range w.frames[1].vector {
				w.vector[p] += v
			}
			v = w.vector[w.me]
			w.addVector(m.place)
		default:
			v, exact = w.rootMove(m.action, alpha)
		}
		if w.stopped {
			return false
		}
		m.sum += v
		m.nodes += w.nodes - before
		m.exact = m.exact && exact
		if exact && (v > top || v == top && m.place < topPlace || i == 0) {
			top, topPlace = v, m.place
			w.line = append(append(w.line[:0], m.action), w.frames[1].line...)
		}
	}
	return true
}

// rootMove returns the value of an action of the position in frame 0, by
// alpha-beta, if it is greater than alpha; else an upper bound of at most alpha,
// which is not exact.
func (w *Searcher) rootMove(a game.Action, alpha float64) (v float64, exact bool) {
	gain := w.gain(w.frames[0], a, w.me)
	low, _ := w.window(alpha, inf, gain)
	below := w.alphaBeta(1, w.enter(0, a, w.me, w.root), low, inf)
	w.leave(0)
	return gain + below, below > low
}

// sums returns, for MaxN, the values of all players for each action at the root,
// summed over the determinizations: [moves, players] by place.
func (w *Searcher) sums() []float64 {
	if w.o.Opponents != MaxN {
		return nil
	}
	n := len(w.moves) * w.players
	for len(w.values) < n {
		w.values = append(w.values, 0)
	}
	return w.values[:n]
}

func (w *Searcher) addVector(place int) {
	sums := w.valuesOf(place)
	for p, v := range w.vector {
		sums[p] += v
	}
}

// valuesOf returns the sums of one action.
func (w *Searcher) valuesOf(place int) []float64 {
	return w.values[place*w.players:][:w.players]
}
