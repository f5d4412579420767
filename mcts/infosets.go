package mcts

import (
	"math"
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/search"
)

// InfoSets is information-set Monte Carlo tree search (Cowling, Powley and
// Whitehouse 2012), for games with hidden information. Each simulation is made on a
// determinization of its own of the root, drawn for the root's mover, the
// observer. Of the actions that are legal in the state at hand, one without an edge is
// tried first, drawn uniformly; else the one is taken with the greatest
//
//	Scale·Q(s,a) + C·sqrt(ln A(s,a) / N(s,a))
//
// where A(s,a) is the number of visits of the node in which a was legal. Q is the
// mean utility of the node's mover (max^n). Hands are drawn uniformly among what
// the observer has seen, without inference from what was played. Whose information
// sets the nodes are is said by [Observers].
//
// NewInfoSetsPUCT makes the same search with a policy's guidance instead.
//
// A simulation ends at the first node that is new, or at the end of the game. It
// adds at most a node and, with UCT, an edge. States with a sole legal action are nodes
// like others, and may be handed out as leaves: whether there is but one
// action may be hidden. It implements search.Search, and nothing is kept when
// the root moves. It is used by one goroutine.
type InfoSets struct {
	c           float64 // of UCT: C/Scale
	simulations int
	bounded     bool      // by MaxNodes, whatever the number of simulations
	policy      *infoPUCT // nil for UCT
	forest      *forest   // nil for SingleObserver
	players     int
	actions     int
	rng         *rand.Rand

	root     game.State
	observer game.Player
	work     game.State
	hidden   game.ImperfectInformation // work
	buf      []game.Action

	nodes    []infoNode
	nodeSums []float64  // [len(nodes), players] sum of the utilities of all visits
	edges    []infoEdge // the first is none
	sums     []float64  // [len(edges), players] the same of the edges
	logs     []float64  // ln n for small n

	key      uint64  // of the node that was looked for last
	path     []int32 // edges of the simulation under way
	trail    []int32 // its nodes
	values   []float64
	scores   []float32
	children []Child
	awaiting wait

	begun    bool
	left     int
	limit    time.Duration
	deadline time.Time
	now      func() time.Time
	stats    Stats
	depths   int
}

// infoNode is an information set of whom the observers are. Its edges are a list in ascending order of the
// actions, which grows when a determinization makes an action legal.
type infoNode struct {
	key   uint64 // game.Hidden.InformationStateKey of the observer, or what the mover has seen
	first int32  // edge, 0 for none
	next  int32  // node below the same edge, or with the same place in the forest; 0 for none
	// visits are the simulations that passed through the node or ended in it.
	visits int32
	mover  game.Player
}

// infoEdge is an action, and leads to an information set for each thing that
// the observer may see next.
type infoEdge struct {
	action    game.Action
	visits    int32
	available int32 // visits of the node in which the action was legal
	next      int32 // edge of the same node
	child     int32 // the first node below, 0 for none
}

// NewInfoSets makes a search of g, whose states must be game.Hidden. It draws
// from rng. It panics where o.Validate has something to say.
func NewInfoSets(g game.Game, o UCT, rng *rand.Rand) *InfoSets {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	scale := o.Scale
	if scale == 0 {
		scale = 1
	}
	t := newInfoSets(g, o.Simulations, o.MaxNodes, o.Observers, rng)
	t.c = o.C / scale
	t.logs = make([]float64, 1024)
	for i := 1; i < len(t.logs); i++ {
		t.logs[i] = math.Log(float64(i))
	}
	t.reserve()
	return t
}

// newInfoSets makes a search without room for its tree.
func newInfoSets(g game.Game, simulations, maxNodes int, o Observers, rng *rand.Rand) *InfoSets {
	n := g.Players()
	t := &InfoSets{
		simulations: simulations, bounded: maxNodes > 0, players: n, actions: g.Actions(), rng: rng,
		root: g.NewState(), work: g.NewState(), buf: make([]game.Action, 0, g.Actions()+1),
		nodes: make([]infoNode, 0, maxNodes), path: make([]int32, 0, 256), trail: make([]int32, 0, 256),
		values: make([]float64, n), scores: make([]float32, n), children: make([]Child, 0, g.Actions()+1), now: time.Now,
	}
	t.hidden = t.work.(game.ImperfectInformation)
	if o == MultipleObservers {
		t.forest = newForest(n)
	}
	return t
}

// reserve makes room for the tree of a search, of which nothing is kept.
func (t *InfoSets) reserve() {
	room := cap(t.nodes)
	if !t.bounded {
		room = t.simulations + 1
	}
	edges := room + t.actions + 1
	if t.policy != nil {
		edges = room*min(t.actions, usualBranch) + t.actions + 1
		t.policy.logits = make([]float32, 0, room*t.actions)
	}
	t.nodes, t.nodeSums = make([]infoNode, 0, room), make([]float64, 0, room*t.players)
	t.edges, t.sums = make([]infoEdge, 0, edges), make([]float64, 0, edges*t.players)
	if t.forest != nil {
		t.forest.reserve(room)
	}
	t.forget()
}

// usualBranch bounds the edges reserved for each node, all of which may have fewer
// legal actions than the game has.
const usualBranch = 32

// SetSimulations changes the budget, and forgets what is known.
func (t *InfoSets) SetSimulations(n int) {
	if err := checkCommon(n, 0, 0); err != nil {
		panic("mcts: " + err.Error())
	}
	t.simulations = n
	if !t.bounded && n+1 > cap(t.nodes) {
		t.reserve()
	}
	t.forget()
}

// SetRand replaces the random source: a new game, a new stream.
func (t *InfoSets) SetRand(rng *rand.Rand) { t.rng = rng }

// SetTime bounds the searches that begin later by the clock as well, as
// Tree.SetTime does.
func (t *InfoSets) SetTime(d time.Duration) { t.limit = d }

// Start makes a copy of s, in which a player is to move, the root and forgets
// all that was known. Of what that player can't see in s nothing matters.
func (t *InfoSets) Start(s game.State) {
	t.root.CopyFrom(s)
	t.forget()
}

// Play moves the root on by an action, or an outcome of chance, and forgets.
func (t *InfoSets) Play(a game.Action) {
	t.root.Apply(a)
	t.forget()
}

func (t *InfoSets) forget() {
	if t.forest != nil {
		t.forest.clear()
	}
	t.nodes, t.nodeSums, t.edges, t.sums = t.nodes[:0], t.nodeSums[:0], t.edges[:0], t.sums[:0]
	t.begun, t.awaiting, t.stats, t.depths = false, nothing, Stats{}, 0
}

func (t *InfoSets) begin() {
	t.begun = true
	t.observer = t.root.CurrentPlayer()
	t.left = t.simulations
	t.edges = append(t.edges, infoEdge{})
	t.sums = t.sums[:t.players]
	clear(t.sums)
	t.addNode(infoNode{mover: t.observer})
	if t.limit > 0 {
		t.deadline = t.now().Add(t.limit)
	}
}

// late says whether the time of this search is over.
func (t *InfoSets) late() bool {
	return t.limit > 0 && t.stats.Simulations > 0 && !t.now().Before(t.deadline)
}

// Advance makes simulations until one needs an evaluation, of which it adds the
// state to leaves, or the budget is spent.
func (t *InfoSets) Advance(requests search.Requests) (done bool) {
	if t.awaiting != nothing {
		panic("mcts: Advance is called before Deliver")
	}
	if !t.begun {
		t.begin()
	}
	if t.policy != nil && t.nodes[0].visits == 0 {
		t.path, t.trail = t.path[:0], append(t.trail[:0], 0)
		t.awaiting = rooting
		t.stats.Evaluations++
		requests.Add(t.root)
		return false
	}
	for t.left > 0 && !t.late() {
		if t.awaiting = t.descend(); t.awaiting != nothing {
			t.stats.Evaluations++
			requests.Add(t.work)
			return false
		}
		t.finish()
	}
	return true
}

// Deliver takes the evaluation of the state that Advance added: one row, whose
// policy UCT does not read.
func (t *InfoSets) Deliver(evaluations search.Evaluations) {
	w := t.awaiting
	if w == nothing {
		panic("mcts: Deliver is called before Advance")
	}
	t.awaiting = nothing
	for p, u := range evaluations.Utilities(0) {
		if u != u {
			panic("mcts: the evaluator gave a utility that is not a number")
		}
		t.values[p] = float64(u)
	}
	if t.policy != nil && w != evaluation {
		t.policy.expand(t, t.trail[len(t.trail)-1], evaluations)
	}
	if w == rooting {
		t.backup()
		t.policy.begin(t)
		return
	}
	t.finish()
}
