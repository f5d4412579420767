package mcts

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// Observers says whose information sets the nodes of an [InfoSets] are.
type Observers uint8

const (
	// SingleObserver keeps one tree, that of the player who searches (SO-ISMCTS;
	// Algorithm 1): states that it can't tell apart share a node, and an edge is an
	// action of whoever moves. At others' nodes there is thus one policy for all
	// hands that they may hold, weighed as often as the hands are drawn, and they seem to know
	// all actions, secret ones too.
	SingleObserver Observers = iota
	// MultipleObservers keep a tree each (MO-ISMCTS; Algorithm 3). A simulation descends
	// through all of them at once, and each player chooses in its own, by what
	// it can have seen: its own hand and actions, and of the others' what they show. The
	// hand of the player who searches is the same in all determinizations, so that others' replies
	// are those to just this hand. In a game with many hands the others hold another
	// one in almost every determinization: their nodes are then nearly always new,
	// the evaluator decides for them, and the search sees little beyond its own next action.
	MultipleObservers
)

var observerNames = []string{"single", "multiple"}

// String is the name that ParseObservers reads.
func (o Observers) String() string {
	if int(o) < len(observerNames) {
		return observerNames[o]
	}
	return fmt.Sprintf("Observers(%d)", uint8(o))
}

// ParseObservers reads "single" or "multiple".
func ParseObservers(text string) (Observers, error) {
	for i, name := range observerNames {
		if name == text {
			return Observers(i), nil
		}
	}
	return 0, fmt.Errorf("observers are %q; single or multiple is wanted", text)
}

func (o Observers) validate() error {
	if int(o) >= len(observerNames) {
		return fmt.Errorf("search: observers are %d; 0 (single) or 1 (multiple) is wanted", uint8(o))
	}
	return nil
}

// forest finds the nodes of multiple observers. A player's tree is not linked: what
// the player has seen since the root, and done, is mixed into one number, by which the
// node is found in a table for all trees. Nodes are those in which the tree's
// own player is to move; of the others nothing need be known.
type forest struct {
	seen  []uint64 // [players] by the simulation under way
	heads []int32  // lists of nodes by the last bits of their keys, 0 for none
}

func newForest(players int) *forest { return &forest{seen: make([]uint64, players)} }

// reserve makes room for so many nodes.
func (f *forest) reserve(nodes int) {
	f.heads = make([]int32, 1<<bits.Len(uint(nodes)))
}

func (f *forest) clear() { clear(f.heads) }

// begin looks at a determinization of the root, which is in t.work.
func (f *forest) begin(t *InfoSets) {
	for p := range f.seen {
		f.seen[p] = uint64(p)
		f.see(t, p)
	}
}

// see notes what player p sees of t.work.
func (f *forest) see(t *InfoSets, p int) {
	f.seen[p] = blend(f.seen[p] ^ t.hidden.InformationStateKey(game.Player(p)))
}

// act notes that player p takes an action, which it knows whatever it sees of it.
func (f *forest) act(p game.Player, a game.Action) {
	f.seen[p] = blend(f.seen[p] + uint64(a))
}

// look lets all players see t.work, and is the key of the mover's node with the
// list in which it is found.
func (f *forest) look(t *InfoSets) (key uint64, list *int32) {
	for p := range f.seen {
		f.see(t, p)
	}
	key = f.seen[t.work.CurrentPlayer()]
	return key, &f.heads[key&uint64(len(f.heads)-1)]
}

// blend is the finalizer of SplitMix64 (Steele, Lea, Flood 2014), after a step.
func blend(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
