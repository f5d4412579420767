package ismcts

import (
	"math"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/prior"
	"tengen/search"
)

// puct is the policy of PUCT: of the actions that are legal in the current state, the one with
// the greatest
//
//	Q(s,a) + C·P(s,a)·sqrt(A(s,a)) / (1 + N(s,a))
//
// is selected. A(s,a) counts the visits of the node in which a was legal, this one included,
// and P is the softmax of the node's logits over the actions that are legal now. If all actions
// are always legal it is PUCT as in mcts.Tree.
type puct struct {
	c     float64
	fpu   mcts.FPU
	noise float64
	noisy bool

	logits []float32 // [nodes, Actions]
	legal  []float32 // priors of the legal actions
	draw   []float64 // noise of the root's legal actions
	mixed  bool      // draw is used
}

func newPUCT(g game.Game, o mcts.PUCT) *puct {
	n := g.Actions() + 1
	return &puct{
		c: o.C, fpu: o.FPU, noise: o.Noise, noisy: true,
		legal: make([]float32, n), draw: make([]float64, n),
	}
}

func (p *puct) evaluatesRoot() bool { return true }

// edgesPerNode bounds the edges reserved for each node, all of which may have
// fewer legal actions than the game has.
const edgesPerNode = 32

func (p *puct) reserve(t *Tree, nodes int) (edges int) {
	if p.logits = nil; !t.growing {
		p.logits = make([]float32, 0, nodes*t.actions)
	}
	return nodes*min(t.actions, edgesPerNode) + t.actions + 1
}

func (p *puct) setNoise(on bool) { p.noisy = on }

// expand keeps the logits.
func (p *puct) expand(t *Tree, i int32, evaluations search.Evaluations, row int) {
	end := (int(i) + 1) * t.actions
	if end > cap(p.logits) { // the tree grows
		p.logits = append(make([]float32, 0, cap(t.nodes)*t.actions), p.logits...)
	}
	p.logits = p.logits[:end]
	copy(p.logits[end-t.actions:], evaluations.Logits(row))
}

func (p *puct) move(t *Tree, to, from int32) {
	n := int32(t.actions)
	copy(p.logits[to*n:(to+1)*n], p.logits[from*n:(from+1)*n])
}

// ready draws the root's noise.
func (p *puct) ready(t *Tree) {
	p.mixed = p.noisy && p.noise > 0
	if p.mixed {
		t.buf = t.root.LegalActions(t.buf[:0])
		p.draw = p.draw[:len(t.buf)]
		prior.Noise(p.draw, t.rng)
	}
}

// priors returns those of the legal actions without noise, until the next call.
func (p *puct) priors(t *Tree, i int32) []float32 {
	p.legal = p.legal[:len(t.buf)]
	if len(t.buf) == 1 { // it may be no action of the policy
		p.legal[0] = 1
		return p.legal
	}
	logits := p.logits[int(i)*t.actions:]
	for k, a := range t.buf {
		p.legal[k] = logits[a]
	}
	prior.Softmax(p.legal, p.legal)
	return p.legal
}

// mix mixes the noise into the root's priors.
func (p *puct) mix(priors []float32) {
	for k := range priors {
		priors[k] = prior.Mix(priors[k], p.noise, p.draw[k])
	}
}

func (p *puct) choose(t *Tree, i int32) (best int32) {
	priors := p.priors(t, i)
	if i == 0 && p.mixed {
		p.mix(priors)
	}
	nd := &t.nodes[i]
	visitedMass := t.open(nd, priors)
	sum := t.nodeSums[int(i)*t.players+int(nd.mover)]
	unvisited := p.fpu.Q(sum, nd.visits, visitedMass)
	score := math.Inf(-1)
	e := nd.first
	for k, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e == 0 || t.edges[e].action != a {
			continue
		}
		ed := &t.edges[e]
		q := unvisited
		switch lost := float64(t.virtual * float64(ed.unseen)); {
		case ed.visits > 0:
			q = t.sums[int(e)*t.players+int(nd.mover)] / (float64(ed.visits) + lost)
		case ed.unseen > 0 && q > 0: // one below 0 would rise
			q /= 1 + lost
		}
		width := p.c * math.Sqrt(float64(ed.available))
		if s := q + float64(width*(float64(priors[k])/float64(1+ed.visits+ed.unseen))); s > score {
			best, score = e, s
		}
	}
	return best
}

// open gives every action of t.buf its edge at node nd, if there is room, and counts it
// available. It returns the visited policy mass, visits under way included.
func (t *Tree) open(nd *node, priors []float32) (visitedMass float64) {
	full := !t.edgeRoom(len(t.buf))
	at := &nd.first
	for k, a := range t.buf {
		for *at != 0 && t.edges[*at].action < a {
			at = &t.edges[*at].next
		}
		switch {
		case *at != 0 && t.edges[*at].action == a:
			ed := &t.edges[*at]
			ed.available++
			if ed.visits+ed.unseen > 0 {
				visitedMass += float64(priors[k])
			}
		case full:
			t.loop.Stats.Full = true
		default:
			t.addEdge(at, a)
		}
	}
	return visitedMass
}
