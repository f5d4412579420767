package player

import (
	"tengen/game"
	"tengen/search"
)

// Ponderer is an Agent that can search a position for as long as its driver likes: for an
// analysis, or while an opponent thinks. What it finds counts in its later decisions as far as it
// keeps its search from one to the next.
type Ponderer interface {
	// CanPonder reports whether Ponder can do anything: the search can go on beyond its budget.
	CanPonder() bool
	// Ponder makes up to n simulations of s, in which a player is to move, whatever the agent's
	// budget is, and adds them to those that it has made of s since Played or Begin. Searching
	// and Analyzer describe them. e is the evaluator of the agent's player, whose error
	// Ponder returns. Ponder returns false if it can do no more: its tree is full, or the agent
	// can't search beyond its budget. It must not be called between Think and Deliver.
	Ponder(s game.State, e search.Evaluator, n int) (more bool, err error)
}

// CanPonder reports whether an agent is a Ponderer that can ponder.
func CanPonder(a Agent) bool {
	p, ok := a.(Ponderer)
	return ok && p.CanPonder()
}

// Watched is an Agent that reports while it thinks.
type Watched interface {
	// Watch makes Think and Deliver call f every few simulations, at which time Searching and
	// Analyzer say what is known so far; nil ends that.
	Watch(f func())
}

// Interruptible is an Agent whose Think may take long without asking for an evaluation, and can be
// interrupted.
type Interruptible interface {
	// StopIf makes Think ask stop every few simulations. Where it returns true, Think returns
	// without a decision, and the game is over for the agent: no other method but Begin is called
	// after that.
	StopIf(stop func() bool)
}

// PonderBytes is the memory that the tree of an agent may take by pondering; above it is full.
const PonderBytes = 1 << 30

// extensible is a search that can go on beyond its budget, such as mcts.Tree.
type extensible interface {
	search.Search
	search.Result
	Extend(n int) bool
	Again()
	Grow(bytes int) bool
}

// ponder makes n simulations more, and makes the tree grow where it is full.
func ponder(tree extensible, e search.Evaluator, n int) (more bool, err error) {
	if !tree.Extend(n) {
		return false, nil
	}
	for !tree.Advance(e) {
		evaluations, err := e.Evaluate()
		if err != nil {
			return false, err
		}
		tree.Deliver(evaluations)
	}
	return !tree.Stats().Full || tree.Grow(PonderBytes), nil
}

// Simulations returns the simulations of a player's decisions, 0 if they are not counted.
func Simulations(p Player) int {
	if u, ok := as[UCT](p); ok {
		return u.Simulations
	}
	if n, ok := as[*AlphaZero](p); ok {
		return n.PUCT.Simulations
	}
	return 0
}

// Keeping returns p, or, if it is a UCT that begins a new tree at every decision, one that keeps
// its trees: what it finds by pondering then counts.
func Keeping(p Player) Player {
	if u, ok := p.(UCT); ok {
		u.Reuse = true
		return u
	}
	return p
}
