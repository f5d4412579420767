package mcts

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/machine"
)

// kind is how a simulation continues from a node.
type kind uint8

const (
	decision kind = iota // a player chooses among its edges
	forced               // the sole legal action is taken
	chance               // an outcome is sampled
	terminal             // the game is over
)

// node is one state. Edges [first, first+tried) have been tried: at a decision
// each of them has a child.
type node struct {
	// visitedMass is the visited policy mass: the sum of the priors of the edges tried.
	visitedMass float64
	visits      int32
	first       int32
	edges       int32
	tried       int32
	in          int32 // the edge that leads here; 0 at the root
	mover       game.Player
	kind        kind
	awaits      bool // its evaluation
	proven      bool // the mean of its utilities is its value under best play (PUCT.Proofs)
}

// edge is one action of a node. Its score in selection is mean + width·weight, where width depends
// only on the visits of the node.
type edge struct {
	mean   float64 // utility for the node's mover; lost if it is proven to be 0
	weight float64 // falls with the edge's visits
	child  int32   // 0 if there is none: no edge leads to the root, node 0
	action game.Action
	prior  float32 // P(s,a); of an outcome its probability with PUCT.Balanced, else 0
	below  int32   // the child's first edge; two edges are in a cache line
}

// lost is the mean of a proven loss: below the score of every other edge, one without visits
// included, whose first-play urgency may be below 0.
var lost = math.Inf(-1)

// q returns the mean utility.
func (e *edge) q() float64 {
	if e.mean == lost {
		return 0
	}
	return e.mean
}

// flight describes the simulations under way through a node.
type flight struct {
	n int32 // unobserved visits: simulations that have passed through it
	// q is the Q of the edge that leads here, until the first visit.
	q float32
}

// arena holds the tree. Node 0 is the root. Nodes, and the blocks of their
// edges, are in the order in which they were added: children after parents.
type arena struct {
	players int
	// maxNodes and maxEdges bound the tree. There is memory for all of it, unless the arena grows:
	// then for firstNodes, and for more once they are used.
	maxNodes, maxEdges int
	growing            bool
	nodes              []node
	sums               []float64 // [len(nodes), players] sum of the utilities of all visits
	edges              []edge
	// overlap means that several simulations may be under way, and flights are kept.
	overlap bool
	flights []flight // [len(nodes)]; all n are 0 between searches
	// squared means that squares are kept.
	squared bool
	// squares are sums over all visits of a node of the squared utilities of the player before it.
	squares []float64 // [len(nodes)]
}

// firstNodes are those that an arena has memory for which grows.
const firstNodes = 64

// reserve makes room for nodes with branch edges each. It keeps the tree.
func (a *arena) reserve(nodes, branch int) {
	const limit = 1<<31 - 1
	if nodes*max(branch, a.players) > limit {
		panic(fmt.Sprintf(
			"mcts: %d nodes of up to %d edges are too many; at most %d nodes are possible",
			nodes, branch, limit/max(branch, a.players)))
	}
	a.maxNodes, a.maxEdges = nodes, nodes*branch
	if a.growing {
		nodes = max(min(nodes, firstNodes), len(a.nodes))
		a.holdNodes(nodes)
		a.holdEdges(max(nodes*branch, len(a.edges)))
		return
	}
	a.holdNodes(nodes)
	a.holdEdges(nodes * branch)
}

// holdNodes has memory for n nodes, at least as many as there are.
func (a *arena) holdNodes(n int) {
	a.nodes = append(make([]node, 0, n), a.nodes...)
	a.sums = append(make([]float64, 0, n*a.players), a.sums...)
	if a.overlap {
		a.flights = append(make([]flight, 0, n), a.flights...)
	}
	if a.squared {
		a.squares = append(make([]float64, 0, n), a.squares...)
	}
	machine.AdviseHugePages(a.nodes)
	machine.AdviseHugePages(a.sums)
}

// holdEdges has memory for n edges, at least as many as there are.
func (a *arena) holdEdges(n int) {
	a.edges = append(make([]edge, 0, n), a.edges...)
	machine.AdviseHugePages(a.edges)
}

func (a *arena) clear() {
	a.nodes, a.sums, a.edges = a.nodes[:0], a.sums[:0], a.edges[:0]
	a.flights, a.squares = a.flights[:0], a.squares[:0]
}

// room says whether a node with n edges can be added. An arena that grows moves its nodes and edges
// then.
func (a *arena) room(n int) bool {
	if len(a.nodes) < cap(a.nodes) && len(a.edges)+n <= cap(a.edges) {
		return true
	}
	return a.growing && a.enlarge(n)
}

// enlarge takes memory for a node with n edges, and for as many nodes and edges again as it has, if
// there may be one more.
func (a *arena) enlarge(n int) bool {
	if len(a.nodes) >= a.maxNodes || len(a.edges)+n > a.maxEdges {
		return false
	}
	if len(a.nodes) == cap(a.nodes) {
		a.holdNodes(min(2*cap(a.nodes), a.maxNodes))
	}
	if len(a.edges)+n > cap(a.edges) {
		a.holdEdges(min(max(2*cap(a.edges), len(a.edges)+n), a.maxEdges))
	}
	return true
}

// add appends a node to which edge in leads. There must be room.
func (a *arena) add(k kind, mover game.Player, in int32) int32 {
	i := len(a.nodes)
	a.nodes = append(a.nodes, node{kind: k, mover: mover, in: in})
	a.sums = a.sums[:len(a.sums)+a.players]
	clear(a.sums[i*a.players:])
	if a.overlap {
		a.flights = append(a.flights, flight{})
	}
	if a.squared {
		a.squares = append(a.squares, 0)
	}
	return int32(i)
}

// started returns the visits of node i, those under way included.
func (a *arena) started(i int32) int32 {
	n := a.nodes[i].visits
	if a.overlap {
		n += a.flights[i].n
	}
	return n
}

// open allocates the block of n edges of node i, the last one. The caller fills it. There must
// be room.
func (a *arena) open(i int32, n int) []edge {
	first := len(a.edges)
	if i > 0 {
		a.edges[a.nodes[i].in].below = int32(first)
	}
	a.nodes[i].first, a.nodes[i].edges = int32(first), int32(n)
	a.edges = a.edges[:first+n]
	return a.edges[first:]
}

// of returns the sums of node i.
func (a *arena) of(i int32) []float64 {
	return a.sums[int(i)*a.players : (int(i)+1)*a.players]
}

// keep makes node root the root and drops all nodes that are not below it.
// Since children come after their parents, one pass moves the kept nodes to the
// front: a parent marks its children by the complement of their in.
func (a *arena) keep(root int32) {
	nodes, edges := int32(0), int32(0)
	for i := root; int(i) < len(a.nodes); i++ {
		nd := a.nodes[i]
		switch {
		case i == root:
			nd.in = 0
		case nd.in < 0:
			nd.in = ^nd.in
			a.edges[nd.in].child, a.edges[nd.in].below = nodes, edges
		default:
			continue
		}
		copy(a.edges[edges:], a.edges[nd.first:nd.first+nd.edges])
		copy(a.of(nodes), a.of(i))
		if a.squared {
			a.squares[nodes] = a.squares[i]
		}
		nd.first = edges
		for range nd.edges {
			if child := a.edges[edges].child; child != 0 {
				a.nodes[child].in = ^edges
			}
			edges++
		}
		a.nodes[nodes] = nd
		nodes++
	}
	a.nodes = a.nodes[:nodes]
	a.sums = a.sums[:int(nodes)*a.players]
	if a.overlap {
		a.flights = a.flights[:nodes]
	}
	if a.squared {
		a.squares = a.squares[:nodes]
	}
	a.edges = a.edges[:edges]
}

// The sizes of a node without its sums, and of an edge.
const (
	nodeBytes = 32
	edgeBytes = 32
	// flightBytes are those of a flight.
	flightBytes = 8
	// squaresBytes are those of the squares of a node.
	squaresBytes = 8
)

// bytesFor returns the memory of a node with n edges.
func (a *arena) bytesFor(n int) int {
	size := nodeBytes + 8*a.players + edgeBytes*n
	if a.overlap {
		size += flightBytes
	}
	if a.squared {
		size += squaresBytes
	}
	return size
}

// bytes returns the memory reserved.
func (a *arena) bytes() int {
	return cap(a.nodes)*nodeBytes + cap(a.sums)*8 + cap(a.edges)*edgeBytes +
		cap(a.flights)*flightBytes + cap(a.squares)*squaresBytes
}
