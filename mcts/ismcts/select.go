package ismcts

import (
	"cmp"
	"math"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// selectSlot walks from a determinization of the root as selectPath does, and leaves its edges
// and nodes in the slot. A simulation that does not end at once is under way.
func (t *Tree) selectSlot(slot int) planning.Wait {
	x := &t.slots[slot]
	t.path, t.trail = x.path, x.trail
	w := t.selectPath()
	x.path, x.trail = t.path, t.trail
	for _, e := range x.path {
		t.edges[e].unseen++
	}
	t.keepState(x, w)
	return w
}

// resumeSlot goes on with the simulation of slot from, whose node has been evaluated, in slot to.
func (t *Tree) resumeSlot(to, from int) planning.Wait {
	t.slots[to], t.slots[from] = t.slots[from], t.slots[to]
	x := &t.slots[to]
	t.path, t.trail = x.path, x.trail
	t.work.CopyFrom(x.state)
	t.sets.load(x.observed)
	last := len(t.trail) - 1
	i := t.trail[last]
	t.trail = t.trail[:last]
	done := len(t.path)
	w := t.walk(i)
	x.path, x.trail = t.path, t.trail
	for _, e := range x.path[done:] {
		t.edges[e].unseen++
	}
	t.keepState(x, w)
	return w
}

// keepState keeps what resumeSlot needs of a simulation that waits.
func (t *Tree) keepState(x *slot, w planning.Wait) {
	if t.rollouts && w != planning.Nothing {
		x.state.CopyFrom(t.work)
		x.observed = t.sets.save(x.observed[:0])
	}
}

// onward reports whether the simulation of a slot goes on from the node that has been evaluated:
// with mcts.PUCT.Rollouts, as long as there is room.
func (t *Tree) onward(int) bool { return !t.loop.Stats.Full }

// selectPath walks from a determinization of the root to a new node, to a node that awaits its
// evaluation, or to the end of the game. It leaves its edges in t.path and its nodes in t.trail,
// and either a state to evaluate in t.work or the result in t.loop.Values. At a node that
// awaits its evaluation it is another determinization that is evaluated, for its value alone.
func (t *Tree) selectPath() planning.Wait {
	t.work.CopyFrom(t.root)
	if t.dealer != nil {
		t.dealer.Deal(t.work, t.observer, t.rng)
	} else {
		t.hidden.Determinize(t.rng, t.observer)
	}
	t.sets.begin(t)
	t.path, t.trail = t.path[:0], t.trail[:0]
	return t.walk(0)
}

// walk is selectPath from node i on, whose state is in t.work.
func (t *Tree) walk(i int32) planning.Wait {
	for {
		t.trail = append(t.trail, i)
		t.buf = t.work.LegalActions(t.buf[:0])
		e := t.policy.choose(t, i)
		if e == 0 {
			return planning.Leaf
		}
		t.path = append(t.path, e)
		t.sets.act(t.nodes[i].mover, t.edges[e].action)
		t.work.Apply(t.edges[e].action)
		for t.work.CurrentPlayer() == game.Chance {
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		}
		if t.work.CurrentPlayer() == game.Nobody {
			t.loop.Ended()
			return planning.Nothing
		}
		key, list := t.sets.find(t, e)
		for i = *list; i != 0 && t.nodes[i].key != key; {
			i = t.nodes[i].next
		}
		if i != 0 {
			if t.nodes[i].awaits {
				t.trail = append(t.trail, i)
				return planning.Leaf
			}
			continue
		}
		if !t.nodeRoom() {
			t.loop.Stats.Full = true
			return planning.Leaf
		}
		i = t.addNode(node{
			key: key, next: *list, mover: t.work.CurrentPlayer(), awaits: t.policy.evaluatesRoot(),
		})
		*list = i
		t.trail = append(t.trail, i)
		return planning.Expansion
	}
}

// addNode appends a node. There must be room.
func (t *Tree) addNode(nd node) int32 {
	t.nodes = append(t.nodes, nd)
	t.nodeSums = t.nodeSums[:len(t.nodes)*t.players]
	clear(t.nodeSums[(len(t.nodes)-1)*t.players:])
	return int32(len(t.nodes) - 1)
}

// addEdge adds the edge of an action, available once, to the list of a node's
// edges at the given place. There must be room.
func (t *Tree) addEdge(at *int32, a game.Action) int32 {
	e := int32(len(t.edges))
	next := *at
	*at = e
	t.edges = append(t.edges, edge{action: a, available: 1, next: next})
	t.sums = t.sums[:len(t.sums)+t.players]
	clear(t.sums[int(e)*t.players:])
	if t.squared {
		t.edgeSquares = append(t.edgeSquares, 0)
	}
	return e
}

// backup adds the result of a simulation to the nodes and edges of its path. It
// returns the length of the path.
func (t *Tree) backup(slot int) (depth int) {
	x := &t.slots[slot]
	for _, i := range x.trail {
		t.nodes[i].visits++
		for p, v := range t.loop.Values {
			t.nodeSums[int(i)*t.players+p] += v
		}
	}
	for _, e := range x.path {
		t.edges[e].visits++
		t.edges[e].unseen--
		for p, v := range t.loop.Values {
			t.sums[int(e)*t.players+p] += v
		}
	}
	if t.squared {
		for k, e := range x.path {
			v := t.loop.Values[t.nodes[x.trail[k]].mover]
			t.edgeSquares[e] += float64(v * v)
		}
	}
	return len(x.path)
}

// puct is the policy of PUCT: of the actions that are legal in the current state, the one with
// the greatest
//
//	Q(s,a) + C·P(s,a)·sqrt(A(s,a)) / (1 + N(s,a))
//
// is selected. A(s,a) counts the visits of the node in which a was legal, this one included,
// and P is the softmax of the node's logits over the actions that are legal now. If all actions
// are always legal it is PUCT as in mcts.Tree.
type puct struct {
	planning.RootNoise
	c      float64
	fpu    mcts.FPU
	logits []float32 // [nodes, Actions]
	legal  []float32 // priors of the legal actions
	mixed  bool      // the noise is used
}

func newPUCT(g game.Game, o mcts.PUCT) *puct {
	n := g.Actions() + 1
	return &puct{
		RootNoise: planning.NewRootNoise(o.Noise, n), c: o.C, fpu: o.FPU, legal: make([]float32, n),
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
	if p.mixed = p.Noisy(); p.mixed {
		t.buf = t.root.LegalActions(t.buf[:0])
		p.Draw(len(t.buf), t.rng)
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
	planning.Softmax(p.legal, p.legal)
	return p.legal
}

func (p *puct) choose(t *Tree, i int32) (best int32) {
	priors := p.priors(t, i)
	if i == 0 && p.mixed {
		for k := range priors {
			priors[k] = p.Mix(k, priors[k])
		}
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
		if lost := float64(t.virtual * float64(ed.unseen)); ed.visits > 0 {
			q = t.sums[int(e)*t.players+int(nd.mover)] / (float64(ed.visits) + lost)
		} else {
			q = min(q, q/(1+lost)) // one below 0 would rise
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

// uct is the policy of UCT with the availability bound: of the actions that are legal in the
// current state, one without an edge is selected, drawn uniformly; else the one with the
// greatest
//
//	Scale·Q(s,a) + C·sqrt(ln A(s,a) / N(s,a))
//
// where A(s,a) counts the visits of the node in which a was legal, and Q is the
// mean utility of the node's player (max^n).
type uct struct {
	c    float64   // C/Scale
	logs []float64 // ln n for small n
}

func newUCT(o mcts.UCT) *uct {
	u := &uct{c: o.C / cmp.Or(o.Scale, 1), logs: make([]float64, 1024)}
	for i := 1; i < len(u.logs); i++ {
		u.logs[i] = math.Log(float64(i))
	}
	return u
}

func (u *uct) evaluatesRoot() bool { return false }

// reserve counts one edge for each simulation.
func (u *uct) reserve(t *Tree, nodes int) (edges int) { return nodes + t.actions + 1 }

func (u *uct) ready(*Tree)                                  {}
func (u *uct) expand(*Tree, int32, search.Evaluations, int) {}
func (u *uct) priors(*Tree, int32) []float32                { return nil }
func (u *uct) move(*Tree, int32, int32)                     {}
func (u *uct) SetNoise(bool)                                {}

func (u *uct) choose(t *Tree, i int32) (best int32) {
	nd := &t.nodes[i]
	untried, score := 0, math.Inf(-1)
	e := nd.first
	for _, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e == 0 || t.edges[e].action != a {
			untried++
			continue
		}
		ed := &t.edges[e]
		n := float64(ed.visits)
		mean := t.sums[int(e)*t.players+int(nd.mover)] / n
		if s := mean + float64(u.c*math.Sqrt(u.ln(ed.available)/n)); s > score {
			best, score = e, s
		}
		ed.available++
	}
	if untried == 0 {
		return best
	}
	if !t.edgeRoom(1) {
		t.loop.Stats.Full = true
		return best
	}
	return insert(t, nd, t.rng.IntN(untried))
}

// insert adds an edge to node nd: that of the k-th legal action without one.
func insert(t *Tree, nd *node, k int) int32 {
	at := &nd.first // in the list, where the edge belongs
	for _, a := range t.buf {
		for *at != 0 && t.edges[*at].action < a {
			at = &t.edges[*at].next
		}
		if *at != 0 && t.edges[*at].action == a {
			continue
		}
		if k > 0 {
			k--
			continue
		}
		return t.addEdge(at, a)
	}
	panic("mcts: there are fewer actions without an edge than were counted")
}

// ln returns the natural logarithm.
func (u *uct) ln(n int32) float64 {
	if int(n) < len(u.logs) {
		return u.logs[n]
	}
	return math.Log(float64(n))
}
