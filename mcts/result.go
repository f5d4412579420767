package mcts

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Child is what a search found out about one action at the root.
type Child struct {
	Action game.Action
	Visits int
	// Prior is PUCT's, without noise; 0 in UCT.
	Prior float32
	// Value is the mean utility of each player, 0 without visits.
	Value [game.MaxPlayers]float32
}

// Stats says what the last search did.
type Stats struct {
	Nodes       int     // in the tree now
	Kept        int     // of these, kept from the search before
	Simulations int     // made
	Evaluations int     // asked for
	MaxDepth    int     // of a simulation, in actions from the root
	MeanDepth   float64 // of the simulations
	Full        bool    // the tree had no room for another node
	Bytes       int     // of memory reserved for the tree
}

// Stats describes the search since the last Start or Play.
func (t *Tree) Stats() Stats {
	s := t.stats
	s.Nodes, s.Full, s.Bytes = len(t.nodes), t.frozen, t.bytes()
	if s.Simulations > 0 {
		s.MeanDepth = float64(t.depths) / float64(s.Simulations)
	}
	return s
}

// Children appends what is known about each legal action at the root, in
// ascending order of the actions: nothing before the first Advance, or Deliver
// where the search evaluates its root. At a chance state it is the outcomes
// that have visits.
func (t *Tree) Children(dst []Child) []Child {
	if len(t.nodes) == 0 {
		return dst
	}
	n := len(dst)
	edges := t.edgesOf(0)
	for i := range edges {
		e := &edges[i]
		if e.child == 0 && t.nodes[0].kind == chance {
			continue
		}
		c := Child{Action: e.action, Prior: t.cleanPrior(0, e)}
		if e.child != 0 {
			c.Visits = int(t.nodes[e.child].visits)
			t.means(e.child, c.Value[:])
		}
		dst = append(dst, c)
	}
	slices.SortFunc(dst[n:], func(a, b Child) int { return int(a.Action) - int(b.Action) })
	return dst
}

// cleanPrior is the prior of edge e of node i without noise.
func (t *Tree) cleanPrior(i int32, e *edge) float32 {
	if i == 0 && t.mixed {
		return t.clean[e.action]
	}
	return e.prior
}

// means writes the mean utilities of node i to dst, 0 without visits.
func (t *Tree) means(i int32, dst []float32) {
	n := t.nodes[i].visits
	for p, sum := range t.of(i) {
		dst[p] = 0
		if n > 0 {
			dst[p] = float32(sum / float64(n))
		}
	}
}

// Value writes the mean utility of each player over all visits of the root to
// dst[0:Players], 0 where there are none yet.
func (t *Tree) Value(dst []float32) {
	if len(t.nodes) == 0 {
		clear(dst[:t.players])
		return
	}
	t.means(0, dst)
}

// Best is the root's most visited action; among equals the one with the greater
// mean utility for the mover, then with the greater prior, then the lowest. It
// is game.NoAction while Children gives nothing.
func (t *Tree) Best() game.Action {
	if e := t.best(0); e != nil {
		return e.action
	}
	return game.NoAction
}

// best is the edge that Best means, of node i; nil where there is none.
func (t *Tree) best(i int32) *edge {
	if int(i) >= len(t.nodes) || t.nodes[i].kind == chance {
		return nil
	}
	mover := t.nodes[i].mover
	edges := t.edgesOf(i)
	var best *edge
	for k := range edges {
		if best == nil || t.better(i, mover, &edges[k], best) {
			best = &edges[k]
		}
	}
	return best
}

// better compares two edges of node i.
func (t *Tree) better(i int32, mover game.Player, a, b *edge) bool {
	visitsA, meanA := t.record(a, mover)
	visitsB, meanB := t.record(b, mover)
	if visitsA != visitsB {
		return visitsA > visitsB
	}
	if meanA != meanB {
		return meanA > meanB
	}
	if p, q := t.cleanPrior(i, a), t.cleanPrior(i, b); p != q {
		return p > q
	}
	return a.action < b.action
}

// record is an edge's visits and its mean utility for a player, 0 without visits.
func (t *Tree) record(e *edge, p game.Player) (visits int32, mean float64) {
	if e.child == 0 {
		return 0, 0
	}
	visits = t.nodes[e.child].visits
	return visits, t.of(e.child)[p] / float64(max(visits, 1))
}

// Choose draws an action with probability proportional to visits^(1/temperature),
// from the priors instead of the visits where there are no visits. At
// temperature 0 it is Best, and draws nothing from rng.
func (t *Tree) Choose(temperature float64, rng *rand.Rand) game.Action {
	if !(temperature > 0) {
		return t.Best()
	}
	t.children = t.Children(t.children[:0])
	return drawChild(t.children, temperature, rng, t.Best)
}

// drawChild draws as Choose says, at a temperature above 0; best is for where there are
// neither visits nor priors.
func drawChild(children []Child, temperature float64, rng *rand.Rand, best func() game.Action) game.Action {
	most := 0.0
	weigh := func(c *Child) float64 { return float64(c.Visits) }
	for i := range children {
		most = max(most, weigh(&children[i]))
	}
	if most == 0 {
		weigh = func(c *Child) float64 { return float64(c.Prior) }
		for i := range children {
			most = max(most, weigh(&children[i]))
		}
	}
	if most == 0 {
		return best()
	}
	sum := 0.0
	power := func(c *Child) float64 {
		w := weigh(c)
		if w == 0 {
			return 0
		}
		return math.Pow(w/most, 1/temperature)
	}
	for i := range children {
		sum += power(&children[i])
	}
	x := rng.Float64() * sum
	last := game.NoAction
	for i := range children {
		if w := power(&children[i]); w > 0 {
			last = children[i].Action
			if x -= w; x < 0 {
				break
			}
		}
	}
	return last
}

// Line appends the principal variation: from the root on the action that Best
// would choose, as far as actions have been visited. It ends where chance is to
// move.
func (t *Tree) PrincipalVariation(dst []game.Action) []game.Action {
	for i := int32(0); ; {
		e := t.best(i)
		if e == nil || e.child == 0 || t.nodes[i].kind == chance {
			return dst
		}
		dst = append(dst, e.action)
		i = e.child
	}
}
