package mcts

import (
	"math"

	"tengen/game"
	"tengen/mcts/internal/gumbel"
)

// improved is the policy of Improved, and of ByPolicy. The edges of a decision are as PUCT keeps them: untried
// edges have the same Q, so the one with the greatest prior is tried next.
type improved struct {
	*puct
	o       gumbel.Options
	weights []float64 // [Actions] of the improved policy
	plain   bool      // ByPolicy: sigma is 0
}

func newImproved(g game.Game, o PUCT) *improved {
	return &improved{puct: newPUCT(g, o), o: o.Gumbel.options(), weights: make([]float64, max(g.Actions(), 1)), plain: o.Gumbel.Interior == ByPolicy}
}

func (p *improved) choose(t *Tree, i int32) (e int32) { return p.pick(t, i, t.nodes[i].edges) }

func (p *improved) follow(t *Tree, i int32) (e int32) { return p.pick(t, i, t.nodes[i].tried) }

// pick returns the best of the first open edges of decision i, or -1 if all of them are lost.
func (p *improved) pick(t *Tree, i, open int32) (e int32) {
	nd := &t.nodes[i]
	edges := t.edges[nd.first : nd.first+nd.edges]
	terms := t.terms[nd.first : nd.first+nd.edges]
	// Of the visited edges: their visits, priors, and Q.
	visits, most := int32(0), int32(0)
	mass, weighted, below := 0.0, 0.0, 0.0
	lo, hi := math.Inf(1), math.Inf(-1)
	started := int32(0)
	complete := nd.tried == nd.edges // all edges are visited
	for j := range nd.tried {
		child := edges[j].child
		started += t.started(child)
		n := t.nodes[child].visits
		if n == 0 {
			complete = false
			continue
		}
		w, q := gumbel.Prior(edges[j].prior), terms[j].q()
		visits += n
		most = max(most, n)
		mass += w
		weighted += float64(w * q)
		below += t.sums[int(child)*t.players+int(nd.mover)]
		lo, hi = min(lo, q), max(hi, q)
	}
	// The Q of the others is the mixed value.
	raw := (t.sums[int(i)*t.players+int(nd.mover)] - below) / float64(max(nd.visits-visits, 1))
	mixed := raw
	if visits > 0 {
		mixed = (raw + float64(float64(visits)*(weighted/mass))) / float64(visits+1)
	}
	if !complete {
		lo, hi = min(lo, mixed), max(hi, mixed)
	}
	scale, _ := p.o.Scale(most, lo, hi)
	if p.plain {
		scale = 0
	}

	rest := scale * (mixed - hi)
	sum := 0.0
	for j := range nd.tried {
		x := rest
		if t.nodes[edges[j].child].visits > 0 {
			x = scale * (terms[j].q() - hi)
		}
		p.weights[j] = gumbel.Weight(edges[j].prior, x)
		sum += p.weights[j]
	}
	if nd.tried < nd.edges {
		p.weights[nd.tried] = gumbel.Weight(edges[nd.tried].prior, rest)
		sum += max(gumbel.Weight(float32(1-nd.visitedMass), rest), p.weights[nd.tried])
	}

	best, score := int32(0), lost
	for j := range min(nd.tried+1, open) {
		s := p.weights[j] / sum
		if j < nd.tried {
			if terms[j].mean == lost {
				continue
			}
			s -= float64(t.started(edges[j].child)) / float64(1+started)
		}
		if s > score {
			best, score = j, s
		}
	}
	return nd.follow(best, score)
}
