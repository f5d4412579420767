package minimax

import "tengen/game"

// alphaBeta returns the value of the position in frame ply to the player at the
// root, if it lies between alpha and beta; else an upper bound that is at most
// alpha, or a lower bound that is at least beta (fail-soft). alpha < beta. Without
// Options.Prune the window is infinite at every node: the search is full-width.
func (w *Searcher) alphaBeta(ply int, c context, alpha, beta float64) float64 {
	f := w.frames[ply]
	f.line = f.line[:0]
	m := f.state.CurrentPlayer()
	c = w.arrive(f, m, c)
	if m == game.Nobody {
		return w.value(f)
	}
	if c.left <= 0 {
		w.cut = true
		return w.value(f)
	}
	if w.nodes >= w.checkAt {
		if w.check(); w.stopped {
			return 0
		}
	}
	var key uint64
	first := game.NoAction
	if w.table != nil {
		key = w.key(f, c)
		if e := w.table.find(key); e != nil {
			if int(e.left) == c.left && (e.low == e.high || e.low >= beta || e.high <= alpha) {
				w.cut = w.cut || e.cut
				if e.low >= beta {
					return e.low
				}
				return e.high
			}
			first = e.move
		}
	}
	if w.short.Range != nil && (alpha != -inf || beta != inf) {
		switch floor, ceiling := w.valueRange(f, c); {
		case floor >= beta:
			w.cut = true
			return floor
		case ceiling <= alpha:
			w.cut = true
			return ceiling
		}
	}
	before := w.cut
	w.cut = false
	var low, high float64 // bounds of the value
	best := game.NoAction
	var v float64
	ok := false
	// Of several outcomes the mean is rounded, so that only one can be left out.
	if c.left == 1 && w.short.Flat != nil && (m != game.Chance || w.o.Samples == 1) {
		v, best, ok = w.flat(ply, f, m)
	}
	if !ok && c.left == 1 && w.short.LastTurn != nil && m != game.Chance {
		v, ok = w.lastTurn(f, alpha, beta)
	}
	switch {
	case ok:
		low, high = bounds(v, alpha, beta)
	case m == game.Chance:
		low, high = w.chanceNode(ply, f, c, alpha, beta)
	default:
		v, best = w.playerNode(ply, f, m, c, first, alpha, beta)
		low, high = bounds(v, alpha, beta)
	}
	if w.stopped {
		return 0
	}
	if w.table != nil {
		w.table.store(key, c.left, low, high, best, w.cut)
	}
	w.cut = w.cut || before
	if low >= beta {
		return low
	}
	return high
}

// bounds returns the bounds that a fail-soft value v stands for.
func bounds(v, alpha, beta float64) (low, high float64) {
	switch {
	case v <= alpha:
		return -inf, v
	case v >= beta:
		return v, inf
	}
	return v, v
}

// window returns the window below an action with a gain. It is wider by the
// rounding of sums, so that a value outside it is outside (alpha, beta) here.
func (w *Searcher) window(alpha, beta, gain float64) (low, high float64) {
	if gain == 0 {
		return alpha, beta
	}
	return alpha - gain - w.slack, beta - gain + w.slack
}

// playerNode searches the actions of player m, with Prune the most promising first.
func (w *Searcher) playerNode(
	ply int, f *frame, m game.Player, c context, first game.Action, alpha, beta float64,
) (best float64, move game.Action) {
	actions := w.expand(f, m, c)
	sorted := w.o.Prune && w.score(f, actions, m, first)
	maximise := m == w.me
	best, move = inf, game.NoAction
	if maximise {
		best = -inf
	}
	for i := range actions {
		if sorted {
			sorted = pick(actions, f.scores, i)
		}
		a := actions[i]
		gain := w.gain(f, a, m)
		low, high := w.window(alpha, beta, gain)
		v := gain + w.alphaBeta(ply+1, w.enter(ply, a, m, c), low, high)
		w.leave(ply)
		if w.stopped {
			return 0, game.NoAction
		}
		if i > 0 && (maximise && v <= best || !maximise && v >= best) {
			continue
		}
		best, move = v, a
		w.extend(f, ply, a)
		switch {
		case !w.o.Prune:
		case maximise:
			alpha = max(alpha, v)
		default:
			beta = min(beta, v)
		}
		if alpha >= beta {
			if i > 0 || len(actions) > 1 {
				w.refuted(f, a, m, c.left)
			}
			break
		}
	}
	return best, move
}

// extend makes the principal variation of frame ply begin with a.
func (w *Searcher) extend(f *frame, ply int, a game.Action) {
	if a < game.NoAction {
		f.line = f.line[:0]
		return
	}
	f.line = append(append(f.line[:0], a), w.frames[ply+1].line...)
}
