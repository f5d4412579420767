package mcts

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// Tree is a search by UCT or PUCT. It implements search.Search and search.Result; the result
// may be read after any Advance. Of planning.Controls it has SetTime, SetDeadline, SetEarlyStop,
// SetPlayouts, Advance and Deliver.
type Tree struct {
	planning.Controls
	arena
	policy policy
	top    *gumbelRoot // policy, if it is one; else nil
	loop   planning.Loop
	game   game.Game
	rng    *rand.Rand
	branch int // edges that a node may need, chance nodes apart
	// bounded means that MaxNodes limits the tree for any number of simulations.
	bounded  bool
	extended bool // Extend has been called: the tree may hold more than its searches add

	root game.State // loop.Root
	work game.State // loop.Work: the state that a simulation has reached
	buf  []game.Action
	outc []game.Outcome

	mixed bool      // noise is in the root's priors
	clean []float32 // [Actions] the root's priors without it

	foreseen foreseen
	path     []int32   // nodes of the simulation at hand
	paths    [][]int32 // [slots] those of the simulations under way
	virtual  float64   // PUCT.VirtualLoss
	balanced bool      // PUCT.Balanced
	proofs   bool      // PUCT.Proofs
	change   []float64 // [players] of a visit
	random   uint64    // of the search, from which the order of outcomes follows
	final    FinalSelection
	children []search.Child
}

// policy selects actions as UCT or PUCT describes.
type policy interface {
	// ready prepares the root, which has its edges, for a search.
	ready(t *Tree)
	// opened prepares decision i, just added, before its evaluation. Its legal actions are in
	// t.buf.
	opened(t *Tree, i int32)
	// expand gives decision i its evaluation, a row of evaluations.
	expand(t *Tree, i int32, evaluations search.Evaluations, row int)
	// choose returns the edge to follow from decision i.
	choose(t *Tree, i int32) (e int32)
	// unvisited returns the Q of an edge without visits of decision i.
	unvisited(t *Tree, i int32) float64
	// follow returns the edge to follow from decision i of a full tree: one of those tried, of
	// which there is at least one; -1 if all of them are known and none is worth a visit.
	follow(t *Tree, i int32) (e int32)
	// tried is called when the edge of decision i that choose returned has got its child. It is
	// the first of the untried edges.
	tried(t *Tree, i int32)
	// weight returns the weight of an edge.
	weight(prior float32, visits int32) float64
	// keeps reports whether Play keeps the subtree below an action.
	keeps() bool
	SetNoise(on bool)
}

// NewUCT makes a UCT search of g, which draws from rng. It panics where
// o.Validate returns an error.
func NewUCT(g game.Game, o UCT, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	return newTree(g, newUCT(o),
		PUCT{
			Simulations: o.Simulations, MaxNodes: o.MaxNodes, Growing: o.Growing,
			FinalSelection: o.FinalSelection,
			Proofs:         o.Proofs,
		}, rng)
}

// NewPUCT makes a PUCT search of g, which draws from rng. It panics where
// o.Validate returns an error.
func NewPUCT(g game.Game, o PUCT, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	if o.Gumbel.On() {
		return newTree(g, newGumbelRoot(g, o), o, rng)
	}
	return newTree(g, newPUCT(g, o), o, rng)
}

// newTree makes a search with what the options say of the tree.
func newTree(g game.Game, p policy, o PUCT, rng *rand.Rand) *Tree {
	t := &Tree{
		arena:    arena{players: g.Players(), growing: o.Growing, squared: o.FinalSelection.lower},
		policy:   p,
		game:     g,
		rng:      rng,
		branch:   max(g.Actions(), 1),
		buf:      make([]game.Action, 0, g.Actions()+1),
		bounded:  o.MaxNodes > 0,
		virtual:  o.VirtualLoss,
		balanced: o.Balanced,
		proofs:   o.Proofs,
		change:   make([]float64, g.Players()),
		final:    o.FinalSelection,
		clean:    make([]float32, g.Actions()),
		children: make([]search.Child, 0, g.Actions()+1),
	}
	t.top, _ = p.(*gumbelRoot)
	_, random := p.(*uct)
	t.foreseen = foreseen{possible: !random, edges: make([]int32, 0, 64), at: unbegun}
	t.overlap = planning.MaxBatchSize(o.BatchSize) > 1
	t.loop = planning.New(g, o.Simulations, o.BatchSize, planning.Steps{
		Slots: t.slots, Begin: t.begin, Ready: func() { p.ready(t) },
		Select: t.selectSlot, Expand: t.expand, Backup: t.backup, Drop: t.drop,
		Decided: t.decided,
	})
	t.Controls, t.root, t.work = t.loop.Controls(), t.loop.Root, t.loop.Work
	nodes := o.MaxNodes
	if !t.bounded {
		nodes = t.nodesFor(o.Simulations)
	}
	t.reserve(nodes, t.branch)
	return t
}

// slots makes room for the paths of n simulations under way.
func (t *Tree) slots(n int) {
	t.paths = make([][]int32, n)
	for i := range t.paths {
		t.paths[i] = make([]int32, 0, 64)
	}
}

// nodesFor returns the number of nodes for a number of simulations: each adds one,
// and the states with a sole legal action or an outcome of chance before it. A tree
// that is kept holds nodes of the searches before.
func (t *Tree) nodesFor(simulations int) int {
	n := 2*(simulations+1) + 64
	if t.policy.keeps() {
		n *= 2
	}
	return n
}

// SetRand replaces the random source: a new game, a new stream.
func (t *Tree) SetRand(rng *rand.Rand) { t.rng = rng }

// SetSimulations changes the budget of the searches that begin later. A tree without MaxNodes
// reserves more memory if necessary.
func (t *Tree) SetSimulations(n int) {
	t.loop.SetSimulations(n)
	if nodes := t.nodesFor(n); !t.bounded && nodes > t.maxNodes {
		t.reserve(nodes, t.branch)
	}
}

// decided reports whether Best is the same however left more simulations end.
func (t *Tree) decided(left int) bool {
	if t.top != nil || t.proofs || t.nodes[0].kind != decision || int(t.nodes[0].visits) <= left {
		return false
	}
	var most planning.Leaders
	for _, e := range t.edgesOf(0) {
		if e.child != 0 {
			most.Add(t.nodes[e.child].visits)
		}
	}
	return t.final.Decided(most.First, most.Second, left)
}

// SetNoise turns the root noise of PUCT, or the g of Gumbel, on or off for the searches that
// begin later. It is on to begin with.
func (t *Tree) SetNoise(on bool) { t.policy.SetNoise(on) }

// Start makes a copy of s the root and forgets all that was known.
func (t *Tree) Start(s game.State) {
	t.root.CopyFrom(s)
	t.forget()
}

// Play moves the root on by an action, or an outcome of chance. With Reuse the nodes
// below it are kept, unless an evaluation is still awaited.
func (t *Tree) Play(a game.Action) {
	t.root.Apply(a)
	if t.policy.keeps() && !t.loop.Waiting() {
		if child := t.childOf(a); child != 0 {
			t.keep(child)
			t.moved()
			return
		}
	}
	t.forget()
}

// childOf returns the root's child by an action, 0 if there is none.
func (t *Tree) childOf(a game.Action) int32 {
	if len(t.nodes) == 0 {
		return 0
	}
	for _, e := range t.edgesOf(0) {
		if e.action == a {
			return e.child
		}
	}
	return 0
}

// edgesOf returns the edges of node i.
func (t *Tree) edgesOf(i int32) []edge {
	nd := &t.nodes[i]
	return t.edges[nd.first : nd.first+nd.edges]
}

// Extend continues the search of the position by n simulations, at least 1, and begins it if there
// is none. Neither SetSimulations nor SetTime limits it then, until Start, Play or Again. Extend
// returns false, and does nothing, if more simulations can't be made: the game is over at the root
// or its value is proven, or the root's visits are at their limit. It must not be called while
// evaluations are awaited.
func (t *Tree) Extend(n int) bool {
	if len(t.nodes) > 0 &&
		(t.nodes[0].kind == terminal || t.nodes[0].proven || t.nodes[0].visits > maxVisits) {
		return false
	}
	t.extended = true
	t.foreseen.take() // Gumbel at the root goes on in another way
	t.loop.Extend(n)
	if t.top != nil {
		t.top.extend(t)
	}
	return true
}

// maxVisits is where Extend ends, so that visits stay within an int32.
const maxVisits = 1 << 30

// Again ends the search and keeps the tree: the next Advance begins another search of the same
// position, with the budget of SetSimulations and SetTime. It must not be called while
// evaluations are awaited.
func (t *Tree) Again() { t.loop.Reset() }

// Grow makes a full tree grow: it reserves memory for up to twice as many nodes, and at most the
// given number of bytes. It returns false if that is no more than now. It must not be called while
// evaluations are awaited.
func (t *Tree) Grow(bytes int) bool {
	nodes := min(2*t.maxNodes, bytes/t.bytesFor(t.branch))
	if nodes <= t.maxNodes {
		return false
	}
	t.reserve(nodes, t.branch)
	t.loop.Stats.Full = false
	return true
}

func (t *Tree) forget() {
	t.clear()
	t.moved()
}

// moved ends the search of what was the root.
func (t *Tree) moved() {
	t.mixed = false
	if t.top != nil {
		t.top.root.Stop()
	}
	t.loop.Reset()
}

// begin prepares the root for a search, and reports whether it must be evaluated first.
func (t *Tree) begin() (evaluate bool) {
	t.loop.Stats.Kept = len(t.nodes)
	t.foreseen.take()
	t.paths[0] = append(t.paths[0][:0], 0)
	if nodes := len(t.nodes) + t.nodesFor(t.loop.Left); t.extended && !t.bounded &&
		nodes > t.maxNodes {
		t.reserve(nodes, t.branch)
	}
	if t.balanced {
		t.random = t.rng.Uint64()
	}
	if len(t.nodes) == 0 {
		t.addRoot()
		if t.nodes[0].kind == decision {
			t.policy.opened(t, 0)
		}
	}
	nd := &t.nodes[0]
	if nd.kind == terminal || nd.proven {
		t.loop.Left = 0
	}
	if t.overlap && nd.awaits {
		t.flights[0].n++
	}
	return nd.awaits
}

// expand gives the node that a simulation has added, or the root, its evaluation.
func (t *Tree) expand(slot int, _ planning.Wait, evaluations search.Evaluations, row int) {
	path := t.paths[slot]
	t.policy.expand(t, path[len(path)-1], evaluations, row)
}
