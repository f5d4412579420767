package minimax

import "tengen/game"

// plain returns the value of the position in frame ply to the player at the root,
// by full-width search.
func (w *Searcher) plain(ply int, c context) float64 {
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
	if w.table != nil {
		key = w.key(f, c)
		if e := w.table.find(key); e != nil && int(e.left) == c.left {
			w.cut = w.cut || e.cut
			return e.low
		}
	}
	before := w.cut
	w.cut = false
	var v float64
	switch {
	case m == game.Chance:
		v = w.plainChance(ply, f, c)
	case w.short.LastTurn != nil && c.left == 1:
		var ok bool
		if v, ok = w.lastTurn(f, -inf, inf); ok {
			break
		}
		fallthrough
	default:
		v = w.plainPlayer(ply, f, m, c)
	}
	if w.stopped {
		return 0
	}
	if w.table != nil {
		w.table.store(key, c.left, v, v, game.NoAction, w.cut)
	}
	w.cut = w.cut || before
	return v
}

// plainPlayer returns the greatest value of m's actions where m is at the root,
// else the least.
func (w *Searcher) plainPlayer(ply int, f *frame, m game.Player, c context) float64 {
	best := inf
	if m == w.me {
		best = -inf
	}
	flat := w.flat(f, c)
	for i, a := range w.expand(f, m, c) {
		v := w.gain(f, a, m)
		if flat {
			v += w.flatLeaf(ply)
		} else {
			v += w.plain(ply+1, w.enter(ply, a, m, c))
			w.leave(ply)
		}
		if w.stopped {
			return 0
		}
		if i == 0 || (m == w.me && v > best) || (m != w.me && v < best) {
			best = v
			w.extend(f, ply, a)
		}
	}
	return best
}

// plainChance returns the mean over the outcomes.
func (w *Searcher) plainChance(ply int, f *frame, c context) float64 {
	mean := 0.0
	for _, o := range w.outcomes(f) {
		// The conversion keeps compilers from fusing the two operations: all searches
		// round the same way.
		mean += float64(o.Probability * w.plain(ply+1, w.enter(ply, o.Action, game.Chance, c)))
		w.leave(ply)
		if w.stopped {
			return 0
		}
	}
	return mean
}

// extend makes the principal variation of frame ply begin with a.
func (w *Searcher) extend(f *frame, ply int, a game.Action) {
	if a < game.NoAction {
		f.line = f.line[:0]
		return
	}
	f.line = append(append(f.line[:0], a), w.frames[ply+1].line...)
}
