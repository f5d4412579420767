package nash

import (
	"context"
	"fmt"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// DefaultLimit is a number of histories that takes a few seconds and 200 MB.
const DefaultLimit = 5_000_000

// Set is an information set.
type Set struct {
	Player  game.Player
	Key     uint64        // its information state key; the state's hash if nothing is hidden
	Actions []game.Action // the legal ones
	// Path leads from the game's first position to one of the set's states: actions and outcomes of
	// chance.
	Path []game.Action
	// States is the number of histories in the set.
	States int
}

// Tree is the tree of all histories of a game.
type Tree struct {
	game  game.Game
	nodes []node
	// edges are the children of nodes that have some.
	edges []edge
	// utilities are those of final nodes, one for each player.
	utilities []float64
	sets      []Set
	// offsets are the places of the sets' actions in an array of all of them, and at their end the
	// number of all.
	offsets []int
	keys    int // different keys of sets
	ends    int
}

// node is a history. Nodes are in the order of a depth-first search, so children come after their
// parents.
type node struct {
	set   int32 // of a player's node
	first int32 // the first edge, or of a final node the first utility
	n     int16 // edges
	mover int8  // a player, game.Chance or game.Nobody
}

// edge leads to a child; the probability is that of an outcome of chance.
type edge struct {
	probability float64
	child       int32
}

// Enumerate lists all histories of g. It returns an error if there are more than limit, if actions
// of states that a seat can't tell apart differ, and the context's error when ctx ends.
func Enumerate(ctx context.Context, g game.Game, limit int) (*Tree, error) {
	b := &builder{
		Tree: Tree{game: g}, ctx: ctx, limit: limit,
		index: map[seatKey]int32{}, keyed: map[seatKey]bool{},
		utilities32: make([]float32, g.Players()),
	}
	_, b.hidden = g.NewState().(game.ImperfectInformation)
	if _, err := b.visit(g.NewState(), 0, memory{}); err != nil {
		return nil, fmt.Errorf("%s: %w", g.Name(), err)
	}
	b.keys = len(b.keyed)
	total := 0
	for i := range b.sets {
		b.offsets = append(b.offsets, total)
		total += len(b.sets[i].Actions)
	}
	b.offsets = append(b.offsets, total)
	t := b.Tree
	return &t, nil
}

// seatKey is what one seat sees.
type seatKey struct {
	seat game.Player
	key  uint64
}

// memory is what each player saw and did: hashes of the sequences, and the last keys in them.
type memory struct{ seen, last [game.MaxPlayers]uint64 }

// see appends the keys that have changed.
func (m *memory) see(players int, s game.ImperfectInformation) {
	for p := range players {
		if key := s.InformationStateKey(game.Player(p)); key != m.last[p] || m.seen[p] == 0 {
			m.last[p] = key
			m.seen[p] = random.Step(random.Mix(m.seen[p]^1) ^ key)
		}
	}
}

// act appends an action of a player.
func (m *memory) act(p game.Player, a game.Action) {
	m.seen[p] = random.Step(random.Mix(m.seen[p]^2) ^ uint64(a))
}

type builder struct {
	Tree
	ctx         context.Context
	limit       int
	hidden      bool
	index       map[seatKey]int32 // sets, by what their seats remember
	keyed       map[seatKey]bool
	path        []game.Action
	states      []game.State // one for each depth
	legal       []game.Action
	utilities32 []float32
}

// visit adds the history that has led to s, and those after it.
func (b *builder) visit(s game.State, depth int, m memory) (int32, error) {
	if len(b.nodes) >= b.limit {
		return 0, fmt.Errorf("more than %d histories, too many to enumerate", b.limit)
	}
	if len(b.nodes)%4096 == 0 && b.ctx.Err() != nil {
		return 0, b.ctx.Err()
	}
	id, mover := int32(len(b.nodes)), s.CurrentPlayer()
	b.nodes = append(b.nodes, node{mover: int8(mover)})
	if mover == game.Nobody {
		b.ends++
		b.nodes[id].first = int32(len(b.utilities))
		s.Returns(b.utilities32)
		for _, u := range b.utilities32 {
			b.utilities = append(b.utilities, float64(u))
		}
		return id, nil
	}
	if b.hidden {
		m.see(b.game.Players(), s.(game.ImperfectInformation))
	}
	var actions []game.Action
	var outcomes []game.Outcome
	if mover == game.Chance {
		outcomes = s.(game.Chancer).Outcomes(nil)
		for _, o := range outcomes {
			actions = append(actions, o.Action)
		}
	} else {
		b.legal = s.LegalActions(b.legal[:0])
		set, err := b.set(s, mover, id, m)
		if err != nil {
			return 0, err
		}
		b.nodes[id].set = set
		actions = b.sets[set].Actions
	}
	first := len(b.edges)
	b.nodes[id].first, b.nodes[id].n = int32(first), int16(len(actions))
	for i := range actions {
		e := edge{}
		if outcomes != nil {
			e.probability = outcomes[i].Probability
		}
		b.edges = append(b.edges, e)
	}
	if len(b.states) == depth {
		b.states = append(b.states, b.game.NewState())
	}
	for i, a := range actions {
		next := b.states[depth]
		next.CopyFrom(s)
		next.Apply(a)
		after := m
		if mover >= 0 {
			after.act(mover, a)
		}
		b.path = append(b.path, a)
		child, err := b.visit(next, depth+1, after)
		if err != nil {
			return 0, err
		}
		b.path = b.path[:len(b.path)-1]
		b.edges[first+i].child = child
	}
	return id, nil
}

// set returns the information set of the mover of s, a new one if it is not known yet.
func (b *builder) set(s game.State, mover game.Player, id int32, m memory) (int32, error) {
	at, key := seatKey{mover, m.seen[mover]}, m.last[mover]
	if !b.hidden {
		at.key, key = uint64(id), s.Hash()
	}
	i, ok := b.index[at]
	if !ok {
		i = int32(len(b.sets))
		b.index[at] = i
		b.keyed[seatKey{mover, key}] = true
		b.sets = append(b.sets, Set{
			Player: mover, Key: key, Actions: slices.Clone(b.legal), Path: slices.Clone(b.path),
		})
	}
	x := &b.sets[i]
	if !slices.Equal(x.Actions, b.legal) {
		return 0,
			fmt.Errorf(
				"after %v and after %v %s sees the same, but the legal actions are %v and %v",
				x.Path, b.path, game.SeatName(b.game, mover), x.Actions, b.legal)
	}
	x.States++
	return i, nil
}

// Game is the game.
func (t *Tree) Game() game.Game { return t.game }

// Histories is the number of histories, from the empty one to those of all finished games.
func (t *Tree) Histories() int { return len(t.nodes) }

// Ends is the number of histories of finished games.
func (t *Tree) Ends() int { return t.ends }

// Sets lists the information sets of all seats. The slice must not be changed.
func (t *Tree) Sets() []Set { return t.sets }

// Remembers reports whether information state keys contain all that seats have seen and done, so
// that there is one set for each key.
func (t *Tree) Remembers() bool { return t.keys == len(t.sets) }

// Policy holds the probability of each action of each set of a tree: of action k of set i
// Policy[i][k].
type Policy [][]float64

// Uniform returns the policy in which all actions of a set are equally likely.
func (t *Tree) Uniform() Policy {
	all := make([]float64, t.offsets[len(t.sets)])
	p := make(Policy, len(t.sets))
	for i := range p {
		p[i] = all[t.offsets[i]:t.offsets[i+1]:t.offsets[i+1]]
		for k := range p[i] {
			p[i][k] = 1 / float64(len(p[i]))
		}
	}
	return p
}
