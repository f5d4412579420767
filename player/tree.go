package player

import (
	"math/rand/v2"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
	"tengen/search/belief"
)

// Tree is a Monte Carlo tree search: of states (mcts.Tree), or of information
// sets (ismcts.Tree) in games with imperfect information.
type Tree interface {
	search.Search
	search.Result
	SetRand(rng *rand.Rand)
	SetSimulations(n int)
	SetTime(d time.Duration)
	SetDeadline(d clock.Deadline)
	SetNoise(on bool)
	Choose(temperature float64, rng *rand.Rand) game.Action
}

// follower returns what makes a position the root of a tree of information sets that is kept from
// one decision to the next; nil for a tree that is not.
func follower(tree Tree, reuse bool) func(s game.State) {
	sets, ok := tree.(interface {
		Keep() bool
		Follow(s game.State) (kept bool)
	})
	if !ok || !reuse || !sets.Keep() {
		return nil
	}
	return func(s game.State) { sets.Follow(s) }
}

// newUCTTree makes a tree that is searched by UCT. observers are for games with
// imperfect information. The tree draws from no source until SetRand.
func newUCTTree(g game.Game, o mcts.UCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewUCT(g, o, observers, nil)
	}
	return mcts.NewUCT(g, o, nil)
}

// newPUCTTree makes a tree that is searched by PUCT, as newUCTTree does.
func newPUCTTree(g game.Game, o mcts.PUCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewPUCT(g, o, observers, nil)
	}
	return mcts.NewPUCT(g, o, nil)
}

// hides reports whether g has imperfect information.
func hides(g game.Game) bool {
	_, hidden := g.NewState().(game.ImperfectInformation)
	return hidden
}

// treeFollower drives a search whose tree follows the game: every action of the
// game moves its root.
type treeFollower struct {
	timekeeper
	search search.Search
	// believe, if not nil, is called with the position before each search.
	believe func(s game.State)
	// makes s, the position after ply actions, the root of the search
	start func(s game.State, ply int)
	// follow, if not nil, goes on from what the search knows of s, after an unknown action.
	follow  func(s game.State)
	ply     int
	started bool // the search follows the game
	known   bool // the search has followed the game before an unknown action
	busy    bool // a search is under way
	// foreseer is the search of an ActorAgent, if it is a Foreseer; else nil.
	foreseer search.Foreseer
	// pondered means that the search was extended beyond its budget since the last action.
	pondered bool
	watch    func() // see Watched; nil: none
}

// begin starts another game.
func (f *treeFollower) begin() {
	f.ply, f.started, f.known, f.busy, f.pondered = 0, false, false, false, false
	f.timekeeper.begin()
}

// think searches s until the search is done, or needs evaluations.
func (f *treeFollower) think(s game.State, requests search.Requests) (done bool) {
	if !f.busy {
		f.startClock(s)
		if f.believe != nil {
			f.believe(s)
		}
	}
	if !f.busy && !f.started {
		f.setRoot(s)
		f.pondered = false
	}
	if f.pondered { // now with the budget
		f.search.(extensible).Again()
		f.pondered = false
	}
	if f.busy = !f.search.Advance(requests); !f.busy {
		f.stopClock()
	}
	return !f.busy
}

// setRoot makes s the root of the search.
func (f *treeFollower) setRoot(s game.State) {
	if f.follow != nil && f.known {
		f.follow(s)
	} else {
		f.start(s, f.ply)
	}
	f.started, f.known = true, true
}

// Deliver implements Agent.
func (f *treeFollower) Deliver(evaluations search.Evaluations) {
	f.search.Deliver(evaluations)
	if f.watch != nil {
		f.watch()
	}
}

// Foreseer implements ActorAgent.
func (f *treeFollower) Foreseer() search.Foreseer {
	if !f.busy {
		return nil
	}
	return f.foreseer
}

// Watch implements Watched.
func (f *treeFollower) Watch(call func()) { f.watch = call }

// CanPonder implements Ponderer.
func (f *treeFollower) CanPonder() bool {
	_, ok := f.search.(extensible)
	return ok
}

// Ponder implements Ponderer.
func (f *treeFollower) Ponder(s game.State, e search.Evaluator, n int) (more bool, err error) {
	tree, ok := f.search.(extensible)
	if !ok || f.busy {
		return false, nil
	}
	if !f.started {
		f.setRoot(s)
	}
	f.pondered = true
	return ponder(tree, e, n)
}

// Played implements Agent. After an unknown action the search starts anew at the next decision.
func (f *treeFollower) Played(a game.Action) {
	if a == game.NoAction {
		f.forget()
		return
	}
	f.ply++
	f.pondered = false
	if f.started {
		f.search.Play(a)
	}
}

// forget implements forgetful.
func (f *treeFollower) forget() {
	f.ply++
	f.started = false
}

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

// infer returns tree, which is searched with a network, in a form that first infers what is hidden
// from what others did (belief.Inference): it asks the network for the policies of their decisions,
// in so many worlds. It asks for at most batch evaluations at once. It returns an error where g
// does not permit that.
func infer(g game.Game, tree Tree, worlds, batch int) (Tree, error) {
	f, err := belief.NewInference(g, worlds)
	if err != nil {
		return nil, err
	}
	x := &inferring{Tree: tree, inference: f, batch: batch}
	tree.(*ismcts.Tree).SetDealer(f) // the tree of a game with imperfect information
	return x, nil
}

// checkInference returns an error where g does not permit infer.
func checkInference(g game.Game) error {
	_, err := belief.NewInference(g, 1)
	return err
}

// inferring is a tree that infers before it searches.
type inferring struct {
	Tree
	inference *belief.Inference
	batch     int
	rng       *rand.Rand
	searching bool
}

// SetRand implements Tree.
func (x *inferring) SetRand(rng *rand.Rand) {
	x.rng = rng
	x.Tree.SetRand(rng)
}

// Start implements search.Search.
func (x *inferring) Start(s game.State) {
	x.searching = false
	x.inference.Begin(s, s.CurrentPlayer(), x.rng)
	x.Tree.Start(s)
}

// Advance implements search.Search.
func (x *inferring) Advance(requests search.Requests) (done bool) {
	x.searching = x.searching || x.inference.Advance(requests, x.batch)
	return x.searching && x.Tree.Advance(requests)
}

// Deliver implements search.Search.
func (x *inferring) Deliver(evaluations search.Evaluations) {
	if x.searching {
		x.Tree.Deliver(evaluations)
	} else {
		x.inference.Deliver(evaluations)
	}
}
