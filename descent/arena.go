package descent

import (
	"slices"

	"tengen/game"
)

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

// table finds nodes by their keys: open addressing with linear probing, at most
// half full. Entries are removed only by rebuild.
type table struct {
	slots []slot // their number is a power of two, or 0
	n     int

	touched uint32 // keeps the reads of touch from being optimised away
}

// slot holds a node's number plus one, 0 if it is free, and half of its key, so that most other
// keys are distinguished without reading the node.
type slot struct {
	tag  uint32
	next int32
}

const leastSlots = 256

func (t *table) clear() {
	clear(t.slots)
	t.n = 0
}

// touch reads the slots of several keys, so that their memory accesses overlap.
func (t *table) touch(list []child) {
	if len(t.slots) == 0 {
		return
	}
	mask := uint64(len(t.slots) - 1)
	sum := uint32(0)
	for i := range list {
		sum ^= t.slots[list[i].key&mask].tag
	}
	t.touched = sum
}

// find returns the node with a key, -1 if there is none.
func (t *table) find(key uint64, nodes []node) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	tag := uint32(key >> 32)
	for i := key & mask; ; i = (i + 1) & mask {
		switch s := t.slots[i]; {
		case s.next == 0:
			return -1
		case s.tag == tag && nodes[s.next-1].key == key:
			return s.next - 1
		}
	}
}

// insert adds node i, which is among nodes, with a key that is not in the table.
func (t *table) insert(key uint64, i int32, nodes []node) {
	if 2*(t.n+1) > len(t.slots) {
		t.slots = make([]slot, max(leastSlots, 2*len(t.slots)))
		t.rebuild(nodes[:i])
	}
	t.place(key, i)
	t.n++
}

func (t *table) place(key uint64, i int32) {
	mask := uint64(len(t.slots) - 1)
	at := key & mask
	for t.slots[at].next != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = slot{uint32(key >> 32), i + 1}
}

// rebuild fills the table with nodes, for which it must have room.
func (t *table) rebuild(nodes []node) {
	clear(t.slots)
	for i := range nodes {
		t.place(nodes[i].key, int32(i))
	}
	t.n = len(nodes)
}

// compact drops all nodes that are not below the root, if there is one. It calls
// the function of OnForget before.
func (t *Tree) compact() {
	if t.onForget != nil {
		t.update()
		t.unmark()
		t.markBelow()
		if list := t.unmarked(); len(list) > 0 {
			t.onForget(list)
		}
	}
	n := len(t.nodes)
	if t.root < 0 {
		t.clear()
		t.roots = t.roots[:0]
	} else {
		t.unmark()
		t.markBelow()
		t.keepMarked()
		t.root = t.places[t.root]
		t.roots = append(t.roots[:0], root{t.root, t.played + t.lead})
	}
	t.stats.Forgotten += uint64(n - len(t.nodes))
}

// markBelow marks the nodes below the root.
func (t *Tree) markBelow() {
	if t.root >= 0 {
		t.walk(t.root, func(int32) {})
	}
}

// keepMarked drops all nodes without a mark, moves the others together in the same
// order, and leaves their new numbers in t.places. The children of marked nodes
// must be marked.
func (t *Tree) keepMarked() {
	t.places = slices.Grow(t.places[:0], len(t.nodes))[:len(t.nodes)]
	n := int32(0)
	for i := range t.nodes {
		if t.marks[i] {
			t.places[i] = n
			n++
		}
	}
	// Blocks of edges are in the order of expansion, which is not that of the
	// nodes.
	edges, blocks := int32(0), 0
	for _, i := range t.blocks {
		if !t.marks[i] {
			continue
		}
		nd := &t.nodes[i]
		block := t.edges[edges : edges+nd.edges]
		copy(block, t.edgesOf(i))
		for k := range block {
			block[k].child = t.places[block[k].child]
		}
		nd.first = edges
		edges += nd.edges
		t.blocks[blocks] = t.places[i]
		blocks++
	}
	for i := range t.nodes {
		if t.marks[i] {
			to := t.places[i]
			copy(t.of(to), t.of(int32(i)))
			t.nodes[to] = t.nodes[i]
		}
	}
	t.blocks = t.blocks[:blocks]
	t.truncate(int(n), int(edges))
}
