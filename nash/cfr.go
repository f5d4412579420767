package nash

import "tengen/game"

// CFR is the state of CFR+.
type CFR struct {
	t          *Tree
	iterations int
	// Of each action of each set:
	regrets []float64
	policy  []float64 // by the regrets
	sums    []float64 // of the average
	// Of each node: the probability that the seat that is updated plays to it, that others and
	// chance do, and the seat's utility from there on.
	own, other, values []float64
	firsts             []int32 // the first node of each set
}

// NewCFR starts CFR+ at the uniform policy.
func NewCFR(t *Tree) *CFR {
	n, nodes := t.offsets[len(t.sets)], len(t.nodes)
	c := &CFR{
		t: t, regrets: make([]float64, n), policy: make([]float64, n), sums: make([]float64, n),
		own: make([]float64, nodes), other: make([]float64, nodes), values: make([]float64, nodes),
		firsts: make([]int32, len(t.sets)),
	}
	for i := nodes - 1; i >= 0; i-- {
		if t.nodes[i].mover >= 0 {
			c.firsts[t.nodes[i].set] = int32(i)
		}
	}
	for i := range t.sets {
		c.match(i)
	}
	return c
}

// Iterations is the number of iterations so far.
func (c *CFR) Iterations() int { return c.iterations }

// Run makes n more iterations. Each updates the seats in turn.
func (c *CFR) Run(n int) {
	for range n {
		c.iterations++
		for p := range c.t.game.Players() {
			c.update(int8(p))
		}
	}
}

// match sets the policy of a set in proportion to its regrets, uniform if all are 0.
func (c *CFR) match(set int) {
	lo, hi := c.t.offsets[set], c.t.offsets[set+1]
	sum := 0.0
	for _, r := range c.regrets[lo:hi] {
		sum += r
	}
	for k := lo; k < hi; k++ {
		if sum > 0 {
			c.policy[k] = c.regrets[k] / sum
		} else {
			c.policy[k] = 1 / float64(hi-lo)
		}
	}
}

// update adds a seat's policy to its average, and updates its regrets.
func (c *CFR) update(seat int8) {
	t := c.t
	c.own[0], c.other[0] = 1, 1
	for i := range t.nodes {
		nd := &t.nodes[i]
		if nd.mover == int8(game.Nobody) {
			c.values[i] = t.utilities[int(nd.first)+int(seat)]
			continue
		}
		edges := t.edges[nd.first:][:nd.n]
		switch {
		case nd.mover == int8(game.Chance):
			for _, e := range edges {
				c.own[e.child], c.other[e.child] = c.own[i], c.other[i]*e.probability
			}
		case nd.mover == seat:
			for k, e := range edges {
				c.own[e.child], c.other[e.child] = c.own[i]*c.policy[t.offsets[nd.set]+k],
					c.other[i]
			}
		default:
			for k, e := range edges {
				c.own[e.child], c.other[e.child] = c.own[i],
					c.other[i]*c.policy[t.offsets[nd.set]+k]
			}
		}
	}
	for i := len(t.nodes) - 1; i >= 0; i-- {
		nd := &t.nodes[i]
		if nd.mover == int8(game.Nobody) {
			continue
		}
		edges := t.edges[nd.first:][:nd.n]
		value := 0.0
		if nd.mover == int8(game.Chance) {
			for _, e := range edges {
				value += e.probability * c.values[e.child]
			}
			c.values[i] = value
			continue
		}
		policy := c.policy[t.offsets[nd.set]:][:nd.n]
		for k, e := range edges {
			value += policy[k] * c.values[e.child]
		}
		c.values[i] = value
		if nd.mover == seat {
			regrets := c.regrets[t.offsets[nd.set]:][:nd.n]
			for k, e := range edges {
				regrets[k] += c.other[i] * (c.values[e.child] - value)
			}
		}
	}
	weight := float64(c.iterations)
	for i := range t.sets {
		if t.sets[i].Player != game.Player(seat) {
			continue
		}
		// The seat forgets nothing, so all nodes of the set have the same probability of its own.
		own := weight * c.own[c.firsts[i]]
		for k := t.offsets[i]; k < t.offsets[i+1]; k++ {
			c.sums[k] += own * c.policy[k]
			c.regrets[k] = max(0, c.regrets[k])
		}
		c.match(i)
	}
}

// Average returns the average policy, uniform in sets that no policy so far has reached.
func (c *CFR) Average() Policy {
	p := c.t.Uniform()
	for i := range p {
		sums := c.sums[c.t.offsets[i]:c.t.offsets[i+1]]
		total := 0.0
		for _, x := range sums {
			total += x
		}
		if total > 0 {
			for k := range p[i] {
				p[i][k] = sums[k] / total
			}
		}
	}
	return p
}
