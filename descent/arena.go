package descent

import "tengen/game"

// What is known of a node.
const (
	valued   uint8 = 1 << iota // it has a value, or awaits one
	expanded                   // it has edges
	over                       // the game is
	resolved                   // its value is final
)

// node is one state: a decision, or a finished game.
type node struct {
	key        uint64
	first      int32 // of its edges
	edges      int32
	completion completions
	mover      game.Player
	is         uint8
}

// edge is one action of a node.
type edge struct {
	action game.Action
	child  int32
	visits int32
	forced int32 // sole legal actions that follow
}

// completions holds the completion of a resolved node for each player in two bits:
// 1 is +1, 2 is -1.
type completions uint16

func (c completions) of(p game.Player) int {
	two := int(c >> (2 * p) & 3)
	return two&1 - two>>1
}

// completionsOf returns those of a finished game with the given utilities.
func completionsOf(utilities []float32) (c completions) {
	for p, u := range utilities {
		switch {
		case u >= 1:
			c |= 1 << (2 * p)
		case u <= 0:
			c |= 2 << (2 * p)
		}
	}
	return c
}

// arena holds the nodes, in the order in which they were added, and the blocks
// of their edges, in the order in which they were expanded.
type arena struct {
	players int
	nodes   []node
	values  []float32 // [len(nodes), players]
	edges   []edge
	blocks  []int32 // the nodes that have edges, in the order of the blocks
	table   table
}

func (a *arena) clear() {
	a.nodes, a.values, a.edges, a.blocks = a.nodes[:0], a.values[:0], a.edges[:0], a.blocks[:0]
	a.table.clear()
}

// add appends a node with a key that is not in the table.
func (a *arena) add(key uint64, mover game.Player) int32 {
	i := int32(len(a.nodes))
	a.nodes = append(a.nodes, node{key: key, mover: mover})
	n := len(a.values)
	for range a.players {
		a.values = append(a.values, 0)
	}
	clear(a.values[n:])
	a.table.insert(key, i, a.nodes)
	return i
}

// find returns the node with a key, -1 where there is none.
func (a *arena) find(key uint64) int32 { return a.table.find(key, a.nodes) }

// of returns the values of node i.
func (a *arena) of(i int32) []float32 {
	return a.values[int(i)*a.players : (int(i)+1)*a.players]
}

// edgesOf returns the edges of node i.
func (a *arena) edgesOf(i int32) []edge {
	nd := &a.nodes[i]
	return a.edges[nd.first : nd.first+nd.edges]
}

// truncate drops the nodes from number nodes on, to which no other edge may lead,
// and the edges from number edges on, which no other node may have.
func (a *arena) truncate(nodes, edges int) {
	a.nodes, a.values, a.edges = a.nodes[:nodes], a.values[:nodes*a.players], a.edges[:edges]
	a.table.rebuild(a.nodes)
}
