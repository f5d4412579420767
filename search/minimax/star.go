package minimax

import "tengen/game"

// chanceNode returns bounds of the mean over the outcomes that decide the window:
// low == high, or low >= beta, or high <= alpha.
//
// Each outcome i with probability p is searched with the window outside which
// the mean is decided, whatever the outcomes not searched yet turn out to be
// (Star 1; Ballard 1983). With S the sum so far, and L and U the sums of the bounds
// of those to come, it is ((alpha - S - U)/p, (beta - S - L)/p).
func (w *Searcher) chanceNode(
	ply int, f *frame, c context, alpha, beta float64,
) (low, high float64) {
	outcomes := w.outcomes(f)
	if len(outcomes) == 1 && outcomes[0].Probability == 1 {
		v := w.alphaBeta(ply+1, w.enter(ply, outcomes[0].Action, game.Chance, c), alpha, beta)
		w.leave(ply)
		return bounds(v, alpha, beta)
	}
	if w.o.Star == 0 || alpha == -inf && beta == inf {
		mean := 0.0
		for _, o := range outcomes {
			// The conversion keeps compilers from fusing the two operations: all searches
			// round the same way.
			mean += float64(o.Probability * w.alphaBeta(ply+1,
				w.enter(ply, o.Action, game.Chance, c), -inf, inf))
			w.leave(ply)
			if w.stopped {
				return 0, 0
			}
		}
		return mean, mean
	}

	floor, ceiling := w.valueRange(f, c)
	f.low, f.high = f.low[:0], f.high[:0]
	sumLow, sumHigh := 0.0, 0.0
	for _, o := range outcomes {
		f.low, f.high = append(f.low, floor), append(f.high, ceiling)
		sumLow += float64(o.Probability * floor)
		sumHigh += float64(o.Probability * ceiling)
	}
	if w.o.Star == 2 {
		for i, o := range outcomes {
			p := o.Probability
			restLow, restHigh := sumLow-float64(p*floor), sumHigh-float64(p*ceiling)
			l, h := w.probe(ply, o.Action, c, (alpha-restHigh-w.slack)/p, (beta-restLow+w.slack)/p)
			if w.stopped {
				return 0, 0
			}
			f.low[i], f.high[i] = max(l, floor), min(h, ceiling)
			sumLow = restLow + float64(p*f.low[i])
			sumHigh = restHigh + float64(p*f.high[i])
			if sumLow >= beta+w.slack {
				return w.decided(sumLow-w.slack/2, inf)
			}
			if sumHigh <= alpha-w.slack {
				return w.decided(-inf, sumHigh+w.slack/2)
			}
		}
	}

	mean := 0.0
	restLow, restHigh := sumLow, sumHigh // of the outcomes not searched yet
	for i, o := range outcomes {
		p := o.Probability
		restLow -= float64(p * f.low[i])
		restHigh -= float64(p * f.high[i])
		v := f.low[i]
		if f.low[i] != f.high[i] {
			below := (alpha - mean - restHigh - w.slack) / p
			above := (beta - mean - restLow + w.slack) / p
			v = w.alphaBeta(ply+1, w.enter(ply, o.Action, game.Chance, c), below, above)
			w.leave(ply)
			switch {
			case w.stopped:
				return 0, 0
			case v >= above:
				return w.decided(mean+float64(p*v)+restLow-w.slack/2, inf)
			case v <= below:
				return w.decided(-inf, mean+float64(p*v)+restHigh+w.slack/2)
			}
		}
		mean += float64(p * v)
	}
	return mean, mean
}

// decided returns bounds that follow from valueRange, and records where they depend
// on the depth.
func (w *Searcher) decided(low, high float64) (float64, float64) {
	w.cut = w.cut || w.short.Range != nil || w.h.Gain != nil
	return low, high
}

// valueRange returns bounds of the value of a position: those of the heuristic,
// widened by the rounding of sums.
func (w *Searcher) valueRange(f *frame, c context) (floor, ceiling float64) {
	if w.short.Range != nil {
		floor, ceiling = w.short.Range(f.state, w.me, c.left)
		return floor - w.slack/2, ceiling + w.slack/2
	}
	floor, ceiling = w.h.Low, w.h.High
	if w.h.Gain != nil {
		turns := float64(max(c.left, 0))
		if w.replies {
			turns *= float64(w.players) // a phase has a turn of each
		}
		floor += turns*w.h.TurnLow - w.slack/2
		ceiling += turns*w.h.TurnHigh + w.slack/2
	}
	return floor, ceiling
}

// probe returns bounds of the value of an outcome without searching all of it: it
// values a leaf, looks up a transposition, and searches the most promising action
// of a player, who does at least as well (Star 2; Ballard 1983).
func (w *Searcher) probe(
	ply int, outcome game.Action, c context, alpha, beta float64,
) (low, high float64) {
	c = w.enter(ply, outcome, game.Chance, c)
	defer w.leave(ply)
	f := w.frames[ply+1]
	m := f.state.CurrentPlayer()
	next := w.arrive(f, m, c)
	low, high = -inf, inf
	switch {
	case m == game.Nobody:
		v := w.value(f)
		return v, v
	case next.left <= 0:
		w.cut = true
		v := w.value(f)
		return v, v
	}
	first := game.NoAction
	if w.table != nil {
		if e := w.table.find(w.key(f, next)); e != nil {
			if int(e.left) == next.left {
				low, high = e.low, e.high
				w.cut = w.cut || e.cut
				if low == high || low >= beta || high <= alpha {
					return low, high
				}
			}
			first = e.move
		}
	}
	if w.short.Range != nil {
		floor, ceiling := w.valueRange(f, next)
		low, high = max(low, floor), min(high, ceiling)
	}
	maximise := m == w.me
	if m == game.Chance || maximise && beta == inf || !maximise && alpha == -inf ||
		w.short.LastTurn != nil && next.left == 1 {
		return low, high
	}
	a := w.guess(f, w.expand(f, m, next), m, first)
	gain := w.gain(f, a, m)
	below, above := w.window(alpha, beta, gain)
	if maximise {
		below = -inf
	} else {
		above = inf
	}
	v := gain + w.alphaBeta(ply+2, w.enter(ply+1, a, m, next), below, above)
	w.leave(ply + 1)
	if maximise {
		return max(low, v), high
	}
	return low, min(high, v)
}
