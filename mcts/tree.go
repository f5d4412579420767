package mcts

import (
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/search"
)

// Tree is a search by UCT or PUCT. It implements search.Search; read the result
// once Advance has returned true, or at any time in between.
type Tree struct {
	arena
	variant variant
	game    game.Game
	rng     *rand.Rand
	branch  int // edges that a node may need, chance nodes apart

	root game.State
	work game.State // the state that a simulation has reached
	buf  []game.Action
	outc []game.Outcome

	simulations int
	bounded     bool          // by MaxNodes, whatever the number of simulations
	left        int           // simulations to make
	limit       time.Duration // of a search; 0: none
	deadline    time.Time
	now         func() time.Time
	begun       bool // the first Advance since Start or Play has been
	frozen      bool // no room was left for a node

	mixed bool      // noise is in the root's priors
	clean []float32 // [Actions] the root's priors without it

	path   []int32   // nodes of the simulation under way
	values []float64 // its result, a utility for each player
	scores []float32 // the same in the form that games give it
	wait   wait

	stats    Stats
	depths   int // sum of the depths of all simulations of this search
	children []Child
}

// wait is what a Deliver answers.
type wait uint8

const (
	nothing    wait = iota
	evaluation      // of a state that is in the tree already, or that found no room
	expansion       // of the node just added
	rooting         // of the root, before the first simulation
)

// variant is what tells one search from another.
type variant interface {
	// begin prepares the root for a search.
	begin(t *Tree)
	// opened readies decision i, just added, whose legal actions are in
	// t.buf, before its evaluation.
	opened(t *Tree, i int32)
	// expand readies decision i, whose legal actions are in t.buf, when its
	// evaluation has come.
	expand(t *Tree, i int32, evaluations search.Evaluations)
	// choose is the edge to follow from decision i.
	choose(t *Tree, i int32) (e int32)
	// tried is called when the edge that choose gave, of decision i, has got
	// its child: it is then the first of those that were untried.
	tried(t *Tree, i int32)
	// An edge scores its mean utility + width·weight.
	width(visits int32) float64
	weight(prior float32, visits int32) float64
	// keeps says whether what is known outlasts a move.
	keeps() bool
}

// NewUCT makes a UCT search of g, which draws from rng. It panics where
// o.Validate has something to say.
func NewUCT(g game.Game, o UCT, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	return newTree(g, newUCT(o), o.Simulations, o.MaxNodes, rng)
}

// NewPUCT makes a PUCT search of g, which draws from rng. It panics where
// o.Validate has something to say.
func NewPUCT(g game.Game, o PUCT, rng *rand.Rand) *Tree {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	return newTree(g, newPUCT(g, o), o.Simulations, o.MaxNodes, rng)
}

func newTree(g game.Game, v variant, simulations, maxNodes int, rng *rand.Rand) *Tree {
	t := &Tree{
		arena:       arena{players: g.Players()},
		variant:     v,
		game:        g,
		rng:         rng,
		branch:      max(g.Actions(), 1),
		root:        g.NewState(),
		work:        g.NewState(),
		buf:         make([]game.Action, 0, g.Actions()+1),
		simulations: simulations,
		now:         time.Now,
		bounded:     maxNodes > 0,
		path:        make([]int32, 0, 256),
		values:      make([]float64, g.Players()),
		scores:      make([]float32, g.Players()),
		clean:       make([]float32, g.Actions()),
		children:    make([]Child, 0, g.Actions()+1),
	}
	if !t.bounded {
		maxNodes = t.nodesFor(simulations)
	}
	t.reserve(maxNodes, t.branch)
	return t
}

// nodesFor is how many nodes so many simulations need: each adds one, and the
// states with a sole legal action or an outcome of chance on the way to it. A
// tree that is kept holds what was worth visiting in the searches before.
func (t *Tree) nodesFor(simulations int) int {
	n := 2*(simulations+1) + 64
	if t.variant.keeps() {
		n *= 2
	}
	return n
}

// SetRand replaces the random source: a new game, a new stream.
func (t *Tree) SetRand(rng *rand.Rand) { t.rng = rng }

// SetSimulations changes the budget of the searches that begin later. A tree
// without MaxNodes reserves more memory where the number needs it.
func (t *Tree) SetSimulations(n int) {
	if err := checkCommon(n, 0, 0); err != nil {
		panic("mcts: " + err.Error())
	}
	t.simulations = n
	if nodes := t.nodesFor(n); !t.bounded && nodes > cap(t.nodes) {
		t.reserve(nodes, t.branch)
	}
}

// SetTime bounds the searches that begin later by the clock as well, which is read after each
// simulation; 0 takes the bound away. A search makes one simulation at least.
func (t *Tree) SetTime(d time.Duration) { t.limit = d }

// late says whether the time of this search is over.
func (t *Tree) late() bool {
	return t.limit > 0 && t.stats.Simulations > 0 && !t.now().Before(t.deadline)
}

// SetNoise turns the root noise of PUCT on or off for the searches that begin
// later. It is on to begin with.
func (t *Tree) SetNoise(on bool) {
	if p, ok := t.variant.(*puct); ok {
		p.noisy = on
	}
}

// Start makes a copy of s the root and forgets all that was known.
func (t *Tree) Start(s game.State) {
	t.root.CopyFrom(s)
	t.forget()
}

// Play moves the root on by an action, or an outcome of chance. PUCT with Reuse
// keeps the nodes below it, unless an evaluation is still awaited.
func (t *Tree) Play(a game.Action) {
	t.root.Apply(a)
	if t.variant.keeps() && t.wait == nothing {
		if child := t.childOf(a); child != 0 {
			t.keep(child)
			t.begun, t.frozen, t.mixed = false, false, false
			return
		}
	}
	t.forget()
}

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

// edgesOf is the edges of node i.
func (t *Tree) edgesOf(i int32) []edge {
	nd := &t.nodes[i]
	return t.edges[nd.first : nd.first+nd.edges]
}

func (t *Tree) forget() {
	t.clear()
	t.begun, t.frozen, t.mixed, t.wait = false, false, false, nothing
}

// begin starts the search of the root: what depends on settings that may change
// between searches happens here.
func (t *Tree) begin() {
	t.begun = true
	t.left = t.simulations
	if t.limit > 0 {
		t.deadline = t.now().Add(t.limit)
	}
	t.depths = 0
	t.stats = Stats{Kept: len(t.nodes)}
	if len(t.nodes) == 0 {
		t.path = t.path[:0]
		t.settle()
		if t.nodes[0].kind == decision {
			t.variant.opened(t, 0)
		}
	}
	if t.nodes[0].kind == terminal {
		t.left = 0
	}
	t.variant.begin(t)
}

// Advance makes simulations until one needs an evaluation, of which it adds the
// state to leaves, or the budget is spent.
func (t *Tree) Advance(requests search.Requests) (done bool) {
	if t.wait != nothing {
		panic("mcts: Advance is called before Deliver")
	}
	if !t.begun {
		t.begin()
	}
	if nd := &t.nodes[0]; nd.kind == decision && nd.edges == 0 {
		requests.Add(t.root)
		t.path = append(t.path[:0], 0)
		t.wait = rooting
		t.stats.Evaluations++
		return false
	}
	for t.left > 0 && !t.late() {
		if t.wait = t.descend(); t.wait != nothing {
			requests.Add(t.work)
			t.stats.Evaluations++
			return false
		}
		t.finish()
	}
	return true
}

// Deliver takes the evaluation of the state that Advance added: one row. It
// panics where a utility or a logit is not a number.
func (t *Tree) Deliver(evaluations search.Evaluations) {
	w := t.wait
	if w == nothing {
		panic("mcts: Deliver is called before Advance")
	}
	t.wait = nothing
	for p, u := range evaluations.Utilities(0) {
		if u != u {
			panic("mcts: the evaluator gave a utility that is not a number")
		}
		t.values[p] = float64(u)
	}
	switch w {
	case rooting:
		t.buf = t.root.LegalActions(t.buf[:0])
		t.variant.expand(t, 0, evaluations)
		t.backup()
		t.variant.begin(t)
	case expansion:
		t.variant.expand(t, t.path[len(t.path)-1], evaluations)
		t.finish()
	default:
		t.finish()
	}
}

// finish backs up a simulation's result.
func (t *Tree) finish() {
	t.backup()
	t.left--
	depth := len(t.path) - 1
	t.depths += depth
	t.stats.Simulations++
	t.stats.MaxDepth = max(t.stats.MaxDepth, depth)
}
