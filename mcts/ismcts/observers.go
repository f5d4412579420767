package ismcts

import (
	"fmt"
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// Observers selects the players whose information sets are the nodes of a [Tree].
type Observers uint8

const (
	// SingleObserver keeps one tree, that of the player who searches (SO-ISMCTS; Algorithm 1).
	// States that this player can't tell apart share a node, and an edge is an action of the
	// player to move. So at other players' nodes there is one policy for all hands that they
	// may hold, weighted by how often each is drawn, and it depends on all actions, including
	// secret ones.
	SingleObserver Observers = iota
	// MultipleObservers keeps a tree for each player (MO-ISMCTS; Algorithm 3). A simulation
	// descends through all of them at once, and each player chooses in its own tree, by what it
	// can observe: its own hand and actions, and what others show. The hand of the player who
	// searches is the same in all determinizations, so the others reply to exactly this hand.
	// In a game with many hands the others hold a different one in almost every
	// determinization: their nodes are then nearly always new, the evaluator decides for them,
	// and the search sees little beyond its own next action.
	MultipleObservers
)

var observerNames = []string{"single", "multiple"}

// String returns "single" or "multiple".
func (o Observers) String() string {
	if int(o) < len(observerNames) {
		return observerNames[o]
	}
	return fmt.Sprintf("Observers(%d)", uint8(o))
}

// informationSets returns the information sets of g for the observers. It panics if o is no
// constant of this package.
func (o Observers) informationSets(g game.Game) informationSets {
	switch o {
	case SingleObserver:
		return single{}
	case MultipleObservers:
		return &forest{observed: make([]uint64, g.Players())}
	}
	panic(fmt.Sprintf("mcts: observers are %d; 0 (single) or 1 (multiple) is wanted", uint8(o)))
}

// single are the information sets of the player who searches. A node's key is that player's
// information state, and its list the nodes below one edge.
type single struct{}

func (single) reserve(int)                  {}
func (single) clear()                       {}
func (single) begin(*Tree)                  {}
func (single) act(game.Player, game.Action) {}
func (single) save(dst []uint64) []uint64   { return dst }
func (single) load([]uint64)                {}
func (single) bytes() int                   { return 0 }

func (single) find(t *Tree, e int32) (key uint64, list *int32) {
	return t.hidden.InformationStateKey(t.observer), &t.edges[e].child
}

// forest are the information sets of multiple observers: in each tree those in which its own
// player is to move. The trees are not linked. A node's key is a hash of all that its player
// has observed and done since the root, and its list the nodes whose keys have the same last
// bits.
type forest struct {
	observed []uint64 // [players] the hash, in the current simulation
	heads    []int32  // of the lists, 0 for none
}

func (f *forest) reserve(nodes int) { f.heads = make([]int32, 1<<bits.Len(uint(nodes))) }

func (f *forest) clear() { clear(f.heads) }

func (f *forest) bytes() int { return 4 * len(f.heads) }

func (f *forest) save(dst []uint64) []uint64 { return append(dst, f.observed...) }

func (f *forest) load(src []uint64) { copy(f.observed, src) }

func (f *forest) begin(t *Tree) {
	for p := range f.observed {
		f.observed[p] = uint64(p)
	}
	f.observe(t)
}

// observe adds what each player sees of t.work.
func (f *forest) observe(t *Tree) {
	for p, hash := range f.observed {
		f.observed[p] = random.Step(hash ^ t.hidden.InformationStateKey(game.Player(p)))
	}
}

// act adds the action of player p, who knows it even if it is not observable.
func (f *forest) act(p game.Player, a game.Action) {
	f.observed[p] = random.Step(f.observed[p] ^ uint64(a))
}

func (f *forest) find(t *Tree, _ int32) (key uint64, list *int32) {
	f.observe(t)
	key = f.observed[t.work.CurrentPlayer()]
	return key, &f.heads[key&uint64(len(f.heads)-1)]
}
