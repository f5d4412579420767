package mcts_test

import (
	"slices"

	"tengen/game"
	"tengen/search"
)

// prove computes all sums of the tree below n anew, and with r.proofs proves what it can: the sums
// of a proven node are those of its value.
func (r *slow) prove(n *slowNode) {
	mover := n.state.CurrentPlayer()
	visited := true // all actions have been, and are proven
	var best []float64
	for _, a := range n.actions() {
		child := n.children[a]
		if child == nil {
			visited = false
			continue
		}
		r.prove(child)
		switch {
		case child.proven == nil:
			visited = false
		case mover >= 0 && (best == nil || child.proven[mover] > best[mover]):
			best = child.proven
		}
	}
	r.add(n)
	switch {
	case !r.proofs, n.proven != nil:
	case mover == game.Nobody:
		if n.visits > 0 {
			n.proven = r.returns(n.state)
		}
	case mover >= 0 && best != nil && (visited || best[mover] == 1):
		n.proven = best
	}
	if n.proven != nil {
		for p, v := range n.proven {
			n.sum[p] = v * float64(n.visits)
		}
	}
}

// add makes the sums of n those of its own evaluations and of its children.
func (r *slow) add(n *slowNode) {
	clear(n.sum)
	for _, values := range n.own {
		for p, v := range values {
			n.sum[p] += v
		}
	}
	if r.balanced && n.state.CurrentPlayer() == game.Chance {
		r.addOutcomes(n)
		return
	}
	for _, a := range n.actions() {
		if child := n.children[a]; child != nil {
			for p, v := range child.sum {
				n.sum[p] += v
			}
		}
	}
}

// actions are the legal actions, or the outcomes that have been sampled.
func (n *slowNode) actions() []game.Action {
	switch n.state.CurrentPlayer() {
	case game.Nobody:
		return nil
	case game.Chance:
		return n.order
	}
	return n.state.LegalActions(nil)
}

// isProven reports whether the value of an action is proven.
func (n *slowNode) isProven(a game.Action) bool {
	return n.children[a] != nil && n.children[a].proven != nil
}

// isLoss reports whether an action is proven to lose.
func (n *slowNode) isLoss(a game.Action) bool {
	return n.isProven(a) && n.children[a].proven[n.state.CurrentPlayer()] == 0
}

// open are the actions of n that are not proven.
func (n *slowNode) open() []game.Action {
	return slices.DeleteFunc(n.state.LegalActions(nil), n.isProven)
}

// exploit is the score without exploration.
func (r *slow) exploit(n *slowNode, a game.Action, mover game.Player) float64 {
	scale := r.scale
	if r.puct {
		scale = 1
	}
	return scale * r.q(n, a, mover)
}

// prefer returns the best of the proven actions, or open, which before says is the best of the
// others.
func (r *slow) prefer(
	n *slowNode, open game.Action, before func(a, b game.Action) bool,
) game.Action {
	mover := n.state.CurrentPlayer()
	best := game.NoAction
	for _, a := range n.state.LegalActions(nil) {
		if !n.isProven(a) {
			continue
		}
		if best == game.NoAction {
			best = a
			continue
		}
		if x, y := n.children[a].proven[mover], n.children[best].proven[mover]; x > y ||
			x == y && before(a, best) {
			best = a
		}
	}
	if open == game.NoAction || best == game.NoAction {
		return max(open, best)
	}
	value := n.children[best].proven[mover]
	if child := n.children[open]; value > 0 &&
		(child == nil || value >= child.sum[mover]/float64(child.visits)) {
		return best
	}
	return open
}

// settle says of the root's children what is proven.
func (r *slow) settle(list []search.Child) {
	n := r.root
	for i := range list {
		list[i].Exact = n.isProven(list[i].Action)
	}
	best, _ := r.best(n)
	if best == game.NoAction || !n.choice() {
		return
	}
	for i := range list {
		if list[i].Visits > 0 && r.worse(list[i].Action, best) {
			list[i].Pruned = list[i].Visits
		}
	}
}

// worse reports whether an action of the root is known to be worse than the best.
func (r *slow) worse(a, best game.Action) bool {
	n := r.root
	mover := n.state.CurrentPlayer()
	if n.proven != nil {
		return !n.isProven(a) || n.children[a].proven[mover] < n.children[best].proven[mover]
	}
	return n.isLoss(a)
}

// backupAnew counts a visit in the nodes of a path, computes all sums anew, proves what it can, and
// gives each node the values that it has then.
func (r *slow) backupAnew(path []*slowNode, values []float64) {
	last := path[len(path)-1]
	last.own = append(last.own, values)
	for _, n := range path {
		n.visits++
	}
	known := map[*slowNode]bool{}
	for _, n := range path {
		known[n] = n.proven != nil
	}
	r.prove(r.root)
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.proven != nil {
			values = n.proven
		}
		if n.seen = append(n.seen, values); n.proven != nil && !known[n] {
			n.seen = slices.Repeat([][]float64{values}, n.visits)
		}
	}
}

// keepBest is the improved policy of a proven root: its priors among the best actions.
func (r *slow) keepBest() map[game.Action]float64 {
	n := r.root
	best, _ := r.best(n)
	policy, sum := map[game.Action]float64{}, 0.0
	for _, a := range n.state.LegalActions(nil) {
		if !r.worse(a, best) {
			policy[a] = float64(n.priors[a])
			sum += policy[a]
		}
	}
	for a := range policy {
		policy[a] /= sum
	}
	return policy
}
