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

// Scores of the actions that are tried first. Those of the history are less.
const (
	scoreTable   = 1 << 30
	scoreKiller  = 1 << 29
	scoreKiller2 = 1 << 28
	mostHistory  = 1 << 27
)

// score writes a score for each action of m to f.scores: greatest for first, the best action
// when the position was searched before, then for actions that caused a cutoff in sibling nodes
// (killers; Akl and Newborn 1977), then for those that did so anywhere (history; Schaeffer
// 1989). It reports whether any score is above 0.
func (w *Searcher) score(
	f *frame, actions []game.Action, m game.Player, first game.Action,
) (any bool) {
	if len(actions) < 2 {
		return false
	}
	f.scores = f.scores[:0]
	history := w.history[m]
	for _, a := range actions {
		score := int32(0)
		switch {
		case a == first:
			score = scoreTable
		case a == f.killers[0]:
			score = scoreKiller
		case a == f.killers[1]:
			score = scoreKiller2
		case uint(a) < uint(len(history)):
			score = history[a]
		}
		any = any || score > 0
		f.scores = append(f.scores, score)
	}
	return any
}

// pick moves the action with the greatest score of actions[i:] to place i, among equals the
// first, and those before it back by one. It reports whether that score was above 0: if not,
// the rest is in order.
func pick(actions []game.Action, scores []int32, i int) (more bool) {
	top := i
	for k := i + 1; k < len(scores); k++ {
		if scores[k] > scores[top] {
			top = k
		}
	}
	a, s := actions[top], scores[top]
	copy(actions[i+1:top+1], actions[i:top])
	copy(scores[i+1:top+1], scores[i:top])
	actions[i], scores[i] = a, s
	return s > 0
}

// refuted records that action a of m caused a cutoff.
func (w *Searcher) refuted(f *frame, a game.Action, m game.Player, left int) {
	if f.killers[0] != a {
		f.killers[0], f.killers[1] = a, f.killers[0]
	}
	history := w.history[m]
	if uint(a) >= uint(len(history)) {
		return
	}
	if history[a] += int32(left) * int32(left); history[a] >= mostHistory {
		for i := range history {
			history[i] >>= 1
		}
	}
}

// guess returns the action of m that playerNode would try first.
func (w *Searcher) guess(
	f *frame, actions []game.Action, m game.Player, first game.Action,
) game.Action {
	if !w.score(f, actions, m, first) {
		return actions[0]
	}
	top := 0
	for i, s := range f.scores {
		if s > f.scores[top] {
			top = i
		}
	}
	return actions[top]
}
