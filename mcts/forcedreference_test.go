package mcts_test

import (
	"math"

	"tengen/game"
)

// least is the number of visits that an action of the root is forced to have, given that of all
// its actions.
func (r *slow) least(a game.Action, sum int) float64 {
	return math.Sqrt(r.forced * float64(r.root.priors[a]) * float64(sum))
}

// due returns the visited actions of the root that have too few visits.
func (r *slow) due() (due []game.Action) {
	sum := 0
	for _, child := range r.root.children {
		sum += child.visits + child.unseen
	}
	for _, a := range r.root.order {
		if child := r.root.children[a]; child.proven == nil && float64(child.visits+child.unseen) < r.least(a, sum) {
			due = append(due, a)
		}
	}
	return due
}

// pruned returns how many visits of an action of the root do not count in the policy target.
func (r *slow) pruned(a game.Action) int {
	n := r.root
	mover := n.state.CurrentPlayer()
	// The most visited action, losses apart, is the best one where the choice is by visits alone.
	lower, proofs := r.lower, r.proofs
	r.lower, r.proofs = false, false
	most, _ := r.best(n)
	r.lower, r.proofs = lower, proofs
	child := n.children[a]
	if most == game.NoAction || n.children[most] == nil || a == most || child == nil {
		return 0
	}
	sum := 0
	for _, c := range n.children {
		sum += c.visits
	}
	// PUCT of an action as if it had other visits.
	puct := func(a game.Action, visits int) float64 {
		c := n.children[a]
		q := c.sum[mover] / float64(c.visits)
		return q + r.constant(n, mover)*math.Sqrt(float64(n.visits))*(float64(n.priors[a])/float64(1+visits))
	}
	taken := 0
	for float64(taken+1) <= r.least(a, sum) && taken < child.visits &&
		puct(a, child.visits-taken-1) < puct(most, n.children[most].visits) {
		taken++
	}
	if child.visits-taken == 1 {
		taken++
	}
	return taken
}
