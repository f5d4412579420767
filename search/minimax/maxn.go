package minimax

import "tengen/game"

// maxN writes the values of the position in frame ply to its vector: every player
// chooses what is best for itself, the first among equals.
func (w *Searcher) maxN(ply int, c context) {
	f := w.frames[ply]
	f.line = f.line[:0]
	m := f.state.CurrentPlayer()
	c = w.arrive(f, m, c)
	if m == game.Nobody || c.left <= 0 {
		w.cut = w.cut || m != game.Nobody
		w.leaves++
		for p := range w.players {
			f.vector[p] = w.h.Value(f.state, game.Player(p))
		}
		return
	}
	if w.nodes >= w.checkAt {
		if w.check(); w.stopped {
			return
		}
	}
	var key uint64
	if w.vectors != nil {
		key = w.key(f, c)
		if cut, ok := w.vectors.find(key, c.left, f.vector); ok {
			w.cut = w.cut || cut
			return
		}
	}
	before := w.cut
	w.cut = false
	if m == game.Chance {
		w.maxNChance(ply, f, c)
	} else {
		w.maxNPlayer(ply, f, m, c)
	}
	if w.stopped {
		return
	}
	if w.vectors != nil {
		w.vectors.store(key, c.left, f.vector, w.cut)
	}
	w.cut = w.cut || before
}

func (w *Searcher) maxNPlayer(ply int, f *frame, m game.Player, c context) {
	for i, a := range w.expand(f, m, c) {
		for p := range w.players {
			f.vector[p] = w.gainOf(f, a, game.Player(p))
		}
		w.maxN(ply+1, w.enter(ply, a, m, c))
		w.leave(ply)
		if w.stopped {
			return
		}
		for p, v := range w.frames[ply+1].vector {
			f.vector[p] += v
		}
		if i == 0 || f.vector[m] > f.best[m] {
			f.best, f.vector = f.vector, f.best
			w.extend(f, ply, a)
		}
	}
	f.best, f.vector = f.vector, f.best
}

func (w *Searcher) maxNChance(ply int, f *frame, c context) {
	clear(f.best)
	for _, o := range w.outcomes(f) {
		w.maxN(ply+1, w.enter(ply, o.Action, game.Chance, c))
		w.leave(ply)
		if w.stopped {
			return
		}
		for p, v := range w.frames[ply+1].vector {
			f.best[p] += float64(o.Probability * v)
		}
	}
	f.best, f.vector = f.vector, f.best
}
