package ismcts

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// Tree is a search of information sets. It implements search.Search and
// search.Result, and is composed of a policy, which selects actions, and of
// information sets, which say what the nodes are. Nothing is kept when the root
// moves, but see Keep. Of planning.Controls it has SetTime, SetDeadline, SetEarlyStop, SetPlayouts,
// Advance and Deliver.
type Tree struct {
	planning.Controls
	policy  policy
	top     *gumbelRoot // policy, if it is one; else nil
	sets    informationSets
	loop    planning.Loop
	bounded bool // by MaxNodes, whatever the number of simulations
	// maxNodes and maxEdges bound the tree. There is memory for all of it, unless growing is set:
	// then there is more once it is used.
	maxNodes, maxEdges int
	growing            bool

	players int
	actions int
	rng     *rand.Rand

	root     game.State // loop.Root
	observer game.Player
	work     game.State                // loop.Work: a determinization of the root, played on
	hidden   game.ImperfectInformation // work
	dealer   search.Dealer             // draws determinizations; nil: hidden.Determinize
	buf      []game.Action

	nodes    []node
	nodeSums []float64 // [len(nodes), players] sum of the utilities of all visits
	edges    []edge    // the first is none
	sums     []float64 // [len(edges), players] the same of the edges
	// squared means that the sums of the squares of utilities are kept, for the player of the node.
	squared     bool
	edgeSquares []float64 // [len(edges)]

	path     []int32 // edges of the simulation at hand
	trail    []int32 // its nodes
	slots    []slot  // the simulations under way
	virtual  float64 // mcts.PUCT.VirtualLoss
	rollouts bool    // mcts.PUCT.Rollouts
	depth    int     // with rollouts: nodes to make room for, for each simulation
	final    mcts.FinalSelection
	children []search.Child
	keeper   keeper
}

// mostNew bounds the nodes that there is room for with rollouts, for each simulation.
const mostNew = 16

// slot is a simulation under way. With rollouts it has the state that it has come to, and what
// informationSets.save tells.
type slot struct {
	path, trail []int32
	state       game.State
	observed    []uint64
}

// node is one information set. Its edges are a list in ascending order of the
// actions. An edge is added when a determinization first makes its action legal.
type node struct {
	key    uint64 // see informationSets
	first  int32  // edge, 0 for none
	next   int32  // node of the same list, 0 for none
	visits int32  // simulations that passed through the node or ended in it
	mover  game.Player
	awaits bool // its evaluation
}

// edge is an action. It leads to one information set for each observation that
// may follow.
type edge struct {
	action    game.Action
	visits    int32
	available int32 // visits of the node in which the action was legal, those under way included
	unseen    int32 // unobserved visits: simulations under way
	next      int32 // edge of the same node, 0 for none
	child     int32 // the first of a list of nodes, 0 for none
}

// policy selects actions.
type policy interface {
	// evaluatesRoot reports whether the root is evaluated before the first simulation.
	evaluatesRoot() bool
	// reserve prepares a tree of at most a number of nodes, and returns how many edges it has room
	// for.
	reserve(t *Tree, nodes int) (edges int)
	// ready prepares the root for a search.
	ready(t *Tree)
	// expand gives node i its evaluation, a row of evaluations. Nodes are expanded in the
	// order in which they were added.
	expand(t *Tree, i int32, evaluations search.Evaluations, row int)
	// choose returns the edge to follow from node i, where the actions in t.buf
	// are legal, and counts the edges available. It returns 0 where none of the
	// actions has an edge and there is no room for one.
	choose(t *Tree, i int32) (e int32)
	// priors returns those of the actions in t.buf at node i, nil for none.
	priors(t *Tree, i int32) []float32
	// move moves what is known of a node to an earlier place.
	move(t *Tree, to, from int32)
	SetNoise(on bool)
}

// informationSets finds the nodes. A node has a key, and is in a list of nodes
// in which keys are unique.
type informationSets interface {
	// reserve makes room for a number of nodes.
	reserve(nodes int)
	clear()
	// begin observes a determinization of the root, which is in t.work.
	begin(t *Tree)
	// act is called before player p takes an action in t.work.
	act(p game.Player, a game.Action)
	// find returns the key of the node of t.work, to which edge e has led, and
	// the list that it belongs to.
	find(t *Tree, e int32) (key uint64, list *int32)
	// save appends what act and find have observed in the simulation at hand, and load takes it
	// back.
	save(dst []uint64) []uint64
	load(src []uint64)
	// bytes returns the memory reserved.
	bytes() int
}

// NewUCT makes a search of g by UCT that draws from rng. The states of g must implement
// game.ImperfectInformation. NewUCT panics if o.Validate returns an error.
func NewUCT(g game.Game, o mcts.UCT, observers Observers, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	return newTree(g, newUCT(o), observers,
		mcts.PUCT{
			Simulations: o.Simulations, MaxNodes: o.MaxNodes, Growing: o.Growing,
			FinalSelection: o.FinalSelection,
		}, rng)
}

// NewPUCT makes a search of g by PUCT that draws from rng. The states of g must implement
// game.ImperfectInformation. o.Reuse is not used. NewPUCT panics if o.Validate returns an
// error.
func NewPUCT(g game.Game, o mcts.PUCT, observers Observers, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	if o.Gumbel.On() {
		return newTree(g, newGumbelRoot(g, o), observers, o, rng)
	}
	return newTree(g, newPUCT(g, o), observers, o, rng)
}

// newTree makes a search with what the options say of the tree.
func newTree(g game.Game, p policy, observers Observers, o mcts.PUCT, rng *rand.Rand) *Tree {
	t := &Tree{
		policy: p, sets: observers.informationSets(g), bounded: o.MaxNodes > 0, growing: o.Growing,
		players: g.Players(), actions: g.Actions(), rng: rng,
		buf:      make([]game.Action, 0, g.Actions()+1),
		children: make([]search.Child, 0, g.Actions()+1),
		virtual:  o.VirtualLoss, rollouts: o.Rollouts,
		squared: o.FinalSelection.ByBound(), final: o.FinalSelection,
	}
	t.top, _ = p.(*gumbelRoot)
	steps := planning.Steps{
		Slots: t.makeSlots, Begin: t.begin, Ready: func() { p.ready(t) },
		Select: t.selectSlot, Expand: t.expand, Backup: t.backup, Drop: func(int) {},
		Decided: t.decided,
	}
	if t.rollouts {
		steps.Onward, steps.Resume = t.onward, t.resumeSlot
	}
	t.loop = planning.New(g, o.Simulations, o.BatchSize, steps)
	if t.rollouts {
		t.depth = mostNew
		for i := range t.slots {
			t.slots[i].state = g.NewState()
		}
	}
	t.Controls, t.root, t.work = t.loop.Controls(), t.loop.Root, t.loop.Work
	t.hidden = t.work.(game.ImperfectInformation)
	nodes := o.MaxNodes
	if !t.bounded {
		nodes = t.nodesFor(o.Simulations)
	}
	t.reserve(nodes)
	return t
}

// SetDealer makes later simulations draw determinizations from d; nil: from the game, uniformly.
func (t *Tree) SetDealer(d search.Dealer) { t.dealer = d }

// makeSlots makes room for n simulations under way.
func (t *Tree) makeSlots(n int) {
	t.slots = make([]slot, n)
	for i := range t.slots {
		t.slots[i] = slot{path: make([]int32, 0, 64), trail: make([]int32, 0, 64)}
	}
}

// reserve makes room for a tree of n nodes, and forgets what is known.
func (t *Tree) reserve(n int) {
	t.maxNodes, t.maxEdges = n, t.policy.reserve(t, n)
	t.nodes, t.nodeSums, t.edges, t.sums, t.edgeSquares = nil, nil, nil, nil, nil
	nodes, edges := n, t.maxEdges
	if t.growing {
		nodes, edges = min(nodes, firstNodes), min(edges, firstEdges)
	}
	t.holdNodes(nodes)
	t.holdEdges(edges)
	t.sets.reserve(n)
	t.keeper.reserve(nodes, edges)
	t.forget()
}

// firstNodes and firstEdges are those that there is memory for to begin with in a tree that grows.
const firstNodes, firstEdges = 64, 256

// holdNodes has memory for n nodes, at least as many as there are.
func (t *Tree) holdNodes(n int) {
	t.nodes = append(make([]node, 0, n), t.nodes...)
	t.nodeSums = append(make([]float64, 0, n*t.players), t.nodeSums...)
}

// holdEdges has memory for n edges, at least as many as there are.
func (t *Tree) holdEdges(n int) {
	t.edges = append(make([]edge, 0, n), t.edges...)
	t.sums = append(make([]float64, 0, n*t.players), t.sums...)
	if t.squared {
		t.edgeSquares = append(make([]float64, 0, n), t.edgeSquares...)
	}
}

// nodeRoom says whether a node can be added. A tree that grows moves its nodes then.
func (t *Tree) nodeRoom() bool {
	if len(t.nodes) == cap(t.nodes) && len(t.nodes) < t.maxNodes {
		t.holdNodes(min(2*cap(t.nodes), t.maxNodes))
	}
	return len(t.nodes) < cap(t.nodes)
}

// edgeRoom says whether n edges can be added. A tree that grows moves its edges then.
func (t *Tree) edgeRoom(n int) bool {
	if n += len(t.edges); n > cap(t.edges) && n <= t.maxEdges {
		t.holdEdges(min(max(2*cap(t.edges), n), t.maxEdges))
	}
	return n <= cap(t.edges)
}

// SetSimulations changes the budget, and forgets what is known. A tree without
// MaxNodes reserves more memory where the number needs it.
func (t *Tree) SetSimulations(n int) {
	t.loop.SetSimulations(n)
	if nodes := t.nodesFor(n); !t.bounded && nodes > t.maxNodes {
		t.reserve(nodes)
	}
	t.forget()
}

// SetRand replaces the random source: a new game, a new stream.
func (t *Tree) SetRand(rng *rand.Rand) { t.rng = rng }

// decided reports whether Best is the same however left more simulations end.
func (t *Tree) decided(left int) bool {
	if t.top != nil {
		return false
	}
	var most planning.Leaders
	for e := t.nodes[0].first; e != 0; e = t.edges[e].next {
		most.Add(t.edges[e].visits)
	}
	return t.final.Decided(most.First, most.Second, left)
}

// SetNoise turns the root noise of PUCT, or the g of mcts.Gumbel, on or off
// for the searches that begin later. It is on to begin with.
func (t *Tree) SetNoise(on bool) { t.policy.SetNoise(on) }

// Start makes a copy of s, in which a player is to move, the root and forgets
// all that was known. The search does not depend on what that player can't see
// in s.
func (t *Tree) Start(s game.State) {
	t.root.CopyFrom(s)
	t.forget()
}

// Play moves the root on by an action, or an outcome of chance, and forgets.
func (t *Tree) Play(a game.Action) {
	t.root.Apply(a)
	t.forget()
}

func (t *Tree) forget() {
	if t.top != nil {
		t.top.root.Stop()
	}
	t.sets.clear()
	t.nodes, t.nodeSums, t.edges, t.sums = t.nodes[:0], t.nodeSums[:0], t.edges[:0], t.sums[:0]
	t.edgeSquares = t.edgeSquares[:0]
	t.loop.Reset()
}

// begin adds the root if it is missing, and says whether it must be evaluated.
func (t *Tree) begin() (evaluate bool) {
	if t.loop.Stats.Kept = len(t.nodes); len(t.nodes) > 0 {
		return false
	}
	t.observer = t.root.CurrentPlayer()
	t.edges = append(t.edges, edge{})
	t.sums = t.sums[:t.players]
	clear(t.sums)
	if t.squared {
		t.edgeSquares = append(t.edgeSquares, 0)
	}
	evaluate = t.policy.evaluatesRoot()
	t.addNode(node{mover: t.observer, awaits: evaluate})
	s := &t.slots[0]
	s.path, s.trail = s.path[:0], append(s.trail[:0], 0)
	return evaluate
}

// expand gives the node that a simulation has added, or the root, its evaluation.
func (t *Tree) expand(slot int, _ planning.Wait, evaluations search.Evaluations, row int) {
	trail := t.slots[slot].trail
	i := trail[len(trail)-1]
	t.nodes[i].awaits = false
	t.policy.expand(t, i, evaluations, row)
}
