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

// pass is the pseudo-action by which an opponent is passed over in BestReply.
const pass game.Action = -2

// In BestReply all turns between two turns of the player at the root are one
// phase, in which a single opponent replies: each in its turn either takes the
// reply, if nobody has taken it yet, or is passed over. The last one can't be
// passed over while nobody has taken the reply.

// expandReply returns the actions of opponent m, or pass, or both.
func (w *Searcher) expandReply(f *frame, m game.Player, c context) []game.Action {
	switch {
	case c.replier == m: // it may finish its turn
		return f.state.LegalActions(f.actions)
	case c.replier != game.Nobody || c.skipped == m:
		return append(f.actions, pass)
	}
	f.actions = f.state.LegalActions(f.actions)
	if w.othersFollow(f, m) {
		f.actions = append(f.actions, pass)
	}
	return f.actions
}

// othersFollow reports whether another opponent has its turn before the player at the root, if
// m is passed over. It assumes that the order of turns does not depend on chance.
func (w *Searcher) othersFollow(f *frame, m game.Player) bool {
	s := w.after
	if _, ok := f.state.(game.Skipper); ok {
		s.CopyFrom(f.state)
		s.(game.Skipper).Skip()
	} else {
		a := w.greedy(f, m)
		s.CopyFrom(f.state)
		s.Apply(a)
	}
	for s.CurrentPlayer() == game.Chance {
		w.ahead = s.(game.Chancer).Outcomes(w.ahead[:0])
		s.Apply(w.ahead[0].Action)
	}
	next := s.CurrentPlayer()
	return next != w.me && next != game.Nobody
}

// enterReply is enter for BestReply.
func (w *Searcher) enterReply(f, child *frame, a game.Action, m game.Player, c context) context {
	opponent := m >= 0 && m != w.me
	switch {
	case a == pass:
		if skipper, ok := child.state.(game.Skipper); ok {
			child.state.CopyFrom(f.state)
			skipper.Skip()
		} else {
			a = w.greedy(f, m)
			child.state.CopyFrom(f.state)
			child.state.Apply(a)
		}
		c.skipped = m
		return c
	case opponent:
		c.replier = m
	}
	child.state.CopyFrom(f.state)
	child.state.Apply(a)
	return c
}

// arriveReply returns the context at the beginning of m's turn.
func (w *Searcher) arriveReply(m game.Player, c context) context {
	if c.owner == w.me || m == w.me {
		c.left--
		c.replier = game.Nobody
	}
	c.owner, c.skipped = m, game.Nobody
	return c
}

// gainReply returns the gain of the player at the root if m is passed over.
func (w *Searcher) gainReply(f *frame, m game.Player) float64 {
	if _, ok := f.state.(game.Skipper); ok {
		return 0
	}
	return w.h.Gain(f.state, w.greedy(f, m), w.me)
}

// greedy returns the action after which m's own value is greatest, the first among
// equals.
func (w *Searcher) greedy(f *frame, m game.Player) game.Action {
	best, top := game.NoAction, 0.0
	f.passed = f.state.LegalActions(f.passed[:0])
	for _, a := range f.passed {
		w.after.CopyFrom(f.state)
		w.after.Apply(a)
		if v := w.gainOf(f, a, m) + w.h.Value(w.after, m); best == game.NoAction || v > top {
			best, top = a, v
		}
	}
	return best
}
