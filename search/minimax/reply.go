package minimax

import "tengen/game"

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
