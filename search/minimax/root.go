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

// average holds the values or bounds of the root's actions in each of several determinizations,
// at one depth. The value of an action is the mean over the determinizations. It need not be
// known exactly in all of them: an upper bound that is less than the value of the best action
// is enough.
type average struct {
	n      int       // determinizations
	values []float64 // [moves, n] the value, or an upper bound
	exact  []bool    // [moves, n]
	// margin is the least difference by which sums are known to differ. It is far
	// greater than their rounding errors.
	margin float64
}

// searchDeterminizations searches all determinizations by alpha-beta, as far as
// it takes to find the actions with the greatest sum of values. The values of
// these actions are exact.
//
// In each determinization the first action, the best one at the depth before, is
// valued exactly, and the others against it: an action must make up what it has
// lost in the determinizations before, and may lose what it has won. So most are
// refuted in each determinization as if it were the only one. An action whose sum
// is not refuted is searched again in the determinizations where only a bound is
// known, with a window widened by its lead.
func (w *Searcher) searchDeterminizations(depth int) (ok bool) {
	w.average.reset(len(w.moves), max(1, w.o.Determinizations), w.slack)
	for i := range w.average.n {
		w.enterDeterminization(i, depth)
		for k := range w.moves {
			alpha := -inf
			if k > 0 {
				alpha = w.needed(k, i)
			}
			if !w.searchDeterminization(k, i, alpha) {
				return false
			}
		}
	}
	best := 0
	for k := range w.moves {
		w.total(k)
		best = w.better(k, best)
	}
	for k := w.contender(best); k >= 0; k = w.contender(best) {
		if !w.settle(k, best, depth) {
			return false
		}
		best = w.better(k, best)
	}
	return true
}

// reset allocates entries for moves in n determinizations.
func (a *average) reset(moves, n int, slack float64) {
	a.n, a.margin = n, slack*float64(n)
	for len(a.values) < moves*n {
		a.values, a.exact = append(a.values, 0), append(a.exact, false)
	}
}

// of returns what is known of the k-th move in each determinization.
func (a *average) of(k int) (values []float64, exact []bool) {
	i, j := k*a.n, (k+1)*a.n
	return a.values[i:j], a.exact[i:j]
}

// needed returns the value that the k-th move must have in determinization i for
// its sum not to fall behind that of the first move, less the margin.
func (w *Searcher) needed(k, i int) float64 {
	first, _ := w.average.of(0)
	own, _ := w.average.of(k)
	lead := 0.0
	for j := range i {
		lead += first[j] - own[j]
	}
	return first[i] + lead - w.average.margin
}

// searchDeterminization values the k-th move in determinization i, which is in frame 0: exactly
// if its value is greater than alpha. It returns false if a limit has stopped it.
func (w *Searcher) searchDeterminization(k, i int, alpha float64) (ok bool) {
	m, before := &w.moves[k], w.nodes
	v, exact := w.rootMove(m.action, alpha)
	if w.stopped {
		return false
	}
	m.nodes += w.nodes - before
	w.average.values[k*w.average.n+i], w.average.exact[k*w.average.n+i] = v, exact
	return true
}

// total sums the values of the k-th move over the determinizations, in the same
// order as full-width search.
func (w *Searcher) total(k int) {
	m := &w.moves[k]
	m.sum, m.exact = 0, true
	values, exact := w.average.of(k)
	for i, v := range values {
		m.sum += v
		m.exact = m.exact && exact[i]
	}
}

// better returns k if that move is known to be better than the best so far, else
// best.
func (w *Searcher) better(k, best int) int {
	if w.moves[k].exact && w.moves[k].sum > w.moves[best].sum {
		return k
	}
	return best
}

// contender returns the move with the greatest sum among those that may be as
// good as the best but are not known exactly, -1 if there is none.
func (w *Searcher) contender(best int) int {
	top := -1
	for k := range w.moves {
		if !w.moves[k].exact && !w.worse(k, best) &&
			(top < 0 || w.moves[k].sum > w.moves[top].sum) {
			top = k
		}
	}
	return top
}

// worse reports whether the k-th move is known to be worse than the best.
func (w *Searcher) worse(k, best int) bool {
	return w.moves[k].sum < w.moves[best].sum-w.average.margin/2
}

// settle searches the k-th move again, in one determinization after the other,
// until it is known to be worse than the best, or known exactly.
func (w *Searcher) settle(k, best, depth int) (ok bool) {
	values, exact := w.average.of(k)
	for i := range values {
		if exact[i] {
			continue
		}
		w.enterDeterminization(i, depth)
		ahead := w.moves[k].sum - w.moves[best].sum
		if !w.searchDeterminization(k, i, values[i]-ahead-w.average.margin) {
			return false
		}
		if w.total(k); w.worse(k, best) {
			break
		}
	}
	return true
}
