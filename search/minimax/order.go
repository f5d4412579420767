package minimax

import "tengen/game"

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
