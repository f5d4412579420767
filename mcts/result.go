package mcts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// Stats describes the search since the last Start or Play.
func (t *Tree) Stats() search.Stats {
	s := t.loop.Summary()
	s.Nodes, s.Bytes = len(t.nodes), t.bytes()
	s.Exact = len(t.nodes) > 0 && t.nodes[0].proven
	return s
}

// Children appends what is known about each legal action at the root, in ascending order of the
// actions: nothing before the first Advance, or before the first Deliver if the search
// evaluates its root. At a chance node it appends the outcomes that have visits.
func (t *Tree) Children(dst []search.Child) []search.Child {
	if len(t.nodes) == 0 || t.nodes[0].awaits {
		return dst
	}
	n := len(dst)
	edges := t.edgesOf(0)
	for i := range edges {
		e := &edges[i]
		if e.child == 0 && t.nodes[0].kind == chance {
			continue
		}
		c := search.Child{Action: e.action, Prior: t.cleanPrior(0, e)}
		if e.child != 0 {
			c.Visits = int(t.nodes[e.child].visits)
			t.means(e.child, c.Value[:])
		}
		dst = append(dst, c)
	}
	if t.proofs && t.nodes[0].kind != chance {
		t.settle(dst[n:])
	}
	slices.SortFunc(dst[n:], func(a, b search.Child) int { return int(a.Action) - int(b.Action) })
	if t.top != nil {
		t.top.improve(t, dst[n:])
	}
	return dst
}

// cleanPrior returns the prior of edge e of node i without noise. Outcomes of chance have none.
func (t *Tree) cleanPrior(i int32, e *edge) float32 {
	switch {
	case t.nodes[i].kind == chance:
		return 0
	case i == 0 && t.mixed:
		return t.clean[e.action]
	}
	return e.prior
}

// means writes the mean utilities of node i to dst, 0 without visits.
func (t *Tree) means(i int32, dst []float32) {
	planning.Means(dst, t.of(i), t.nodes[i].visits)
}

// Value writes the mean utility of each player over all visits of the root to
// dst[0:Players], 0 where there are none yet. With Gumbel it is the expected utility under the
// improved policy, unless the root is proven.
func (t *Tree) Value(dst []float32) {
	if len(t.nodes) == 0 {
		clear(dst[:t.players])
		return
	}
	if t.top != nil && !t.nodes[0].proven && t.top.value(t, dst) {
		return
	}
	t.means(0, dst)
}

// Best returns the root's most visited action, or the one that LowerBound chooses; among equals
// the more visited one, then the one with the greater mean utility for its player, then with the
// greater prior, then the lowest. With Gumbel it is the choice described there. An action with a
// proven value is chosen if it is worth no less than that one's mean, and otherwise not. Best
// returns game.NoAction while Children gives nothing.
func (t *Tree) Best() game.Action {
	if e := t.best(0); e != nil {
		return e.action
	}
	return game.NoAction
}

// best returns the edge of Best at node i, nil if there is none.
func (t *Tree) best(i int32) *edge {
	if int(i) >= len(t.nodes) || t.nodes[i].kind == chance || t.nodes[i].awaits {
		return nil
	}
	if t.proofs {
		return t.prefer(i, t.bestOpen(i))
	}
	return t.bestOpen(i)
}

// bestOpen is best among the edges whose values are not proven.
func (t *Tree) bestOpen(i int32) *edge {
	if i == 0 && t.top != nil {
		if e := t.top.best(t); e != nil {
			return e
		}
	}
	mover := t.nodes[i].mover
	edges := t.edgesOf(i)
	most := int32(0)
	for k := range edges {
		if visits, _ := t.record(&edges[k], mover); !t.proven(&edges[k]) {
			most = max(most, visits)
		}
	}
	var best *edge
	for k := range edges {
		if t.proven(&edges[k]) {
			continue
		}
		if best == nil || t.better(i, mover, &edges[k], best, most) {
			best = &edges[k]
		}
	}
	return best
}

// better reports whether edge a of node i, whose edges that are not proven have up to most visits,
// comes before b.
func (t *Tree) better(i int32, mover game.Player, a, b *edge, most int32) bool {
	if t.final.lower {
		if x, y := t.bound(a, mover, most), t.bound(b, mover, most); x != y {
			return x > y
		}
	}
	return t.more(i, mover, a, b)
}

// more reports whether edge a of node i comes before b by visits, and among equals as Best says.
func (t *Tree) more(i int32, mover game.Player, a, b *edge) bool {
	visitsA, meanA := t.record(a, mover)
	visitsB, meanB := t.record(b, mover)
	return cmp.Or(cmp.Compare(visitsA, visitsB), cmp.Compare(meanA, meanB),
		cmp.Compare(t.cleanPrior(i, a), t.cleanPrior(i, b)), cmp.Compare(b.action, a.action)) > 0
}

// record returns an edge's visits and its mean utility for a player, 0 without visits.
func (t *Tree) record(e *edge, p game.Player) (visits int32, mean float64) {
	if e.child == 0 {
		return 0, 0
	}
	visits = t.nodes[e.child].visits
	return visits, t.of(e.child)[p] / float64(max(visits, 1))
}

// bound returns FinalSelection.Bound of an edge.
func (t *Tree) bound(e *edge, p game.Player, most int32) float64 {
	if e.child == 0 {
		return math.Inf(-1)
	}
	return t.final.Bound(t.of(e.child)[p], t.squares[e.child], t.nodes[e.child].visits, most)
}

// Choose draws an action with probability proportional to visits^(1/temperature), less those
// pruned (search.Child.Pruned), or if there are none left from the priors of the actions without
// visits. At temperature 0 it returns Best, and draws nothing from rng; so it does with Gumbel,
// whose Best is a sample itself.
func (t *Tree) Choose(temperature float64, rng *rand.Rand) game.Action {
	if temperature > 0 && t.top == nil {
		t.children = t.Children(t.children[:0])
		if a := planning.Draw(t.children, temperature, rng); a != game.NoAction {
			return a
		}
	}
	return t.Best()
}

// PrincipalVariation appends the actions that Best would choose, from the root
// on, as far as actions have been visited. It ends at chance nodes.
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

// Variation appends the root's action a and those that Best would choose after it, with their
// visits, as far as actions have been visited. It ends at chance nodes. It appends nothing if a
// has not been visited.
func (t *Tree) Variation(dst []search.Step, a game.Action) []search.Step {
	i := t.childOf(a)
	for i != 0 {
		dst = append(dst, search.Step{Action: a, Visits: int(t.nodes[i].visits)})
		e := t.best(i)
		if e == nil {
			break
		}
		i, a = e.child, e.action
	}
	return dst
}
