package descent

import (
	"math/rand/v2"
	"slices"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/search"
)

// Tree is a search by Descent or UBFM. It implements search.Search and search.Result; the
// result may be read after any Advance.
type Tree struct {
	arena
	game    game.Game
	options Options
	rating  rating
	rng     *rand.Rand
	timer   clock.Timer
	most    int // greatest number of nodes

	position game.State // the one to search
	played   int        // actions since Start that led there
	before   int        // actions before Start
	lead     int        // sole legal actions from it to the root
	root     int32      // the node searched; -1 where it is not in the tree yet
	roots    []root

	begun bool // the first Advance since Start or Play has been
	ended bool // before the budget was spent: by the clock, or because the tree is full

	// The iteration under way.
	walking bool
	path    []int32    // nodes from the root to at, without at
	at      int32      // the node reached
	work    game.State // its state
	plies   int        // actions up to it, those before Start included
	fresh   bool       // at has been refreshed
	waiting bool       // for the evaluations of pending
	pending pending

	children [side]child
	next     game.State    // for walks outside the search
	buf      []game.Action // legal in the state of at
	legal    []game.Action // scratch

	stats    search.Stats
	onForget func([]Subtree)
	marks    []bool  // [len(nodes)] for walks over all nodes
	places   []int32 // [len(nodes)] for compaction
	stack    []visit
	order    []int32 // [number of actions] for ordering edges
}

// New makes a search of g, which draws from rng among equal children; if rng is nil it explores
// the first. It panics if Check returns an error.
func New(g game.Game, o Options, rng *rand.Rand) *Tree {
	if err := Check(g, o); err != nil {
		panic(err.Error())
	}
	most := o.MaxNodes
	if most == 0 {
		most = DefaultMaxNodes
	}
	n := g.Actions() + 1
	t := &Tree{
		arena:    arena{players: g.Players()},
		game:     g,
		options:  o,
		rating:   newRating(g, o.Terminal),
		rng:      rng,
		timer:    clock.Timer{Now: time.Now},
		most:     max(most, 2*n),
		position: g.NewState(),
		root:     -1,
		work:     g.NewState(),
		next:     g.NewState(),
		buf:      make([]game.Action, 0, n),
		legal:    make([]game.Action, 0, n),
		order:    make([]int32, 0, n),
		pending:  pending{asked: make([]int32, 0, n)},
	}
	t.timer.SetTime(o.Time)
	for i := range t.children[:min(n, side)] {
		t.children[i].state = g.NewState()
	}
	return t
}

// SetRand replaces the random source: a new game, a new stream.
func (t *Tree) SetRand(rng *rand.Rand) { t.rng = rng }

// SetDeadline sets when searches that begin later end, besides Options.Time; the zero value
// removes it.
func (t *Tree) SetDeadline(d clock.Deadline) { t.timer.SetDeadline(d) }

// Start makes a copy of s the position to search and forgets all that was known.
func (t *Tree) Start(s game.State) { t.StartAfter(s, 0) }

// StartAfter is Start with a position that was reached after plies actions, which matters if
// the value of a finished game depends on its length.
func (t *Tree) StartAfter(s game.State, plies int) {
	t.clear()
	t.roots = t.roots[:0]
	t.waiting = false
	t.stats = search.Stats{}
	t.position.CopyFrom(s)
	t.before, t.played = plies, 0
	t.locate()
}

// Play moves the position on by an action and keeps the tree, without an expansion whose
// evaluations are still awaited. If the tree is more than half full it drops all nodes that are
// not below the new position, unless the game is over.
func (t *Tree) Play(a game.Action) {
	if t.waiting {
		t.abandon()
	}
	t.position.Apply(a)
	t.played++
	t.locate()
	if t.crowded() && t.work.CurrentPlayer() >= 0 {
		t.compact()
	}
	if t.root >= 0 && t.nodes[t.root].is&expanded != 0 {
		t.refresh(t.root)
	}
}

// locate finds the root: the position, or, if it has a sole legal action, the next decision or
// the end of the game. It leaves the root's state in t.work.
func (t *Tree) locate() {
	t.begun, t.walking, t.ended = false, false, false
	t.stats = search.Stats{Forgotten: t.stats.Forgotten}
	t.work.CopyFrom(t.position)
	_, t.lead = t.walkOn(t.work)
	t.root = t.find(t.keyOf(t.work, t.before+t.played+t.lead))
}

// begin starts the search of the root.
func (t *Tree) begin() {
	t.begun = true
	t.timer.Begin()
	if t.root >= 0 {
		return
	}
	t.setOut()
	mover := t.work.CurrentPlayer()
	t.root = t.add(t.keyOf(t.work, t.plies), mover)
	if mover < 0 {
		t.end(t.root, t.work, t.plies)
		return
	}
	t.roots = append(t.roots, root{t.root, t.played + t.lead})
}

// setOut starts a path at the root.
func (t *Tree) setOut() {
	t.work.CopyFrom(t.position)
	for range t.lead {
		t.legal = t.work.LegalActions(t.legal[:0])
		t.work.Apply(t.legal[0])
	}
	t.at, t.plies, t.fresh = t.root, t.before+t.played+t.lead, false
	t.path = t.path[:0]
}

// Advance searches until states must be evaluated, which it adds to requests, or
// the budget is spent. The root is expanded whatever the budget.
func (t *Tree) Advance(requests search.Requests) (done bool) {
	if t.waiting {
		panic("descent: Advance is called before Deliver")
	}
	if !t.begun {
		t.begin()
	}
	for {
		if !t.walking {
			if t.spent() {
				return true
			}
			t.setOut()
			t.walking = true
		}
		switch nd := &t.nodes[t.at]; {
		case nd.is&expanded == 0:
			if !t.allowed() {
				t.ended = true
				t.backup()
				continue
			}
			if t.waiting = t.expand(requests); t.waiting {
				return false
			}
			t.opened()
		case !t.fresh:
			t.refresh(t.at)
			t.fresh = true
		case nd.is&resolved != 0:
			t.finish()
		default:
			t.follow(t.explore(t.at))
		}
	}
}

// spent reports whether the search is over.
func (t *Tree) spent() bool {
	is, n := t.nodes[t.root].is, t.options.Iterations
	switch {
	case t.ended || is&resolved != 0:
		return true
	case is&expanded == 0:
		return false
	}
	return n > 0 && t.stats.Simulations >= n || t.late()
}

// late reports whether the time has run out.
func (t *Tree) late() bool { return t.timer.Late() }

// allowed reports whether node t.at may be expanded, and leaves its legal actions in t.buf if
// so.
func (t *Tree) allowed() bool {
	if len(t.path) > 0 && t.late() {
		return false
	}
	t.buf = t.work.LegalActions(t.buf[:0])
	if n := len(t.buf); len(t.nodes)+n > t.most || len(t.edges)+n > edgesPerNode*t.most {
		t.stats.Full = true
		return false
	}
	return true
}

// crowded reports whether the tree is more than half full.
func (t *Tree) crowded() bool {
	return 2*len(t.nodes) > t.most || 2*len(t.edges) > edgesPerNode*t.most
}

// follow takes edge k of node t.at.
func (t *Tree) follow(k int32) {
	e := &t.edges[k]
	e.visits++
	t.path = append(t.path, t.at)
	t.work.Apply(e.action)
	for range e.forced {
		t.legal = t.work.LegalActions(t.legal[:0])
		t.work.Apply(t.legal[0])
	}
	t.plies += 1 + int(e.forced)
	t.at, t.fresh = e.child, false
	t.deepen(len(t.path))
}

// deepen counts a state at a depth below the root, in decisions.
func (t *Tree) deepen(depth int) { t.stats.MaxDepth = max(t.stats.MaxDepth, depth) }

// Deliver takes the evaluations of the states that Advance added.
func (t *Tree) Deliver(evaluations search.Evaluations) {
	if !t.waiting {
		panic("descent: Deliver is called before Advance")
	}
	t.waiting = false
	for i, node := range t.pending.asked {
		t.rating.evaluated(evaluations.Utilities(i), t.of(node))
	}
	t.opened()
}

// finish ends the current iteration.
func (t *Tree) finish() {
	t.backup()
	t.stats.Simulations++
}

// backup updates the values of the states on the path, the last one first.
func (t *Tree) backup() {
	t.walking = false
	for _, i := range slices.Backward(t.path) {
		t.refresh(i)
	}
}
