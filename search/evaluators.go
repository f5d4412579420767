package search

import (
	"math/rand/v2"

	"tengen/game"
)

// Constant evaluates every state with zero logits, and the same utility for every
// player. It is for tests and benchmarks of searches.
type Constant struct {
	evaluations Evaluations
	n           int
}

// NewConstant makes a Constant in which each player has the given utility.
func NewConstant(g game.Game, utility float32) *Constant {
	c := &Constant{evaluations: Evaluations{Actions: g.Actions(), Players: g.Players()}}
	c.evaluations.Policy = make([]float32, g.Actions())
	c.evaluations.Values = make([]float32, g.Players())
	for i := range c.evaluations.Values {
		c.evaluations.Values[i] = utility
	}
	return c
}

// Add counts the state.
func (c *Constant) Add(game.State) { c.n++ }

// Evaluate returns an equal row for each state added. It never fails.
func (c *Constant) Evaluate() (Evaluations, error) {
	for len(c.evaluations.Values) < c.n*c.evaluations.Players {
		c.evaluations.Policy = append(c.evaluations.Policy,
			make([]float32, c.evaluations.Actions)...)
		c.evaluations.Values = append(c.evaluations.Values,
			c.evaluations.Values[:c.evaluations.Players]...)
	}
	n := c.n
	c.n = 0
	return c.evaluations.Slice(0, n), nil
}

// Playouts evaluates a state by the result of one random playout from it
// (game.Playout), and gives no policy.
type Playouts struct {
	state       game.State
	rng         *rand.Rand
	buf         []game.Action
	evaluations Evaluations
	strategy    *game.Strategy // nil: game.Playout
	epsilon     float64
}

// NewPlayouts makes a Playouts that draws from rng.
func NewPlayouts(g game.Game, rng *rand.Rand) *Playouts {
	return &Playouts{
		state:       g.NewState(),
		rng:         rng,
		buf:         make([]game.Action, 0, g.Actions()+1),
		evaluations: Evaluations{Actions: g.Actions(), Players: g.Players()},
	}
}

// NewRollouts makes a Playouts in which all players play by a strategy. A fraction
// epsilon of their actions is drawn uniformly (game.Rollout).
func NewRollouts(g game.Game, q *game.Strategy, epsilon float64, rng *rand.Rand) *Playouts {
	p := NewPlayouts(g, rng)
	p.strategy, p.epsilon = q, epsilon
	return p
}

// Add plays a copy of s to its end.
func (p *Playouts) Add(s game.State) {
	p.state.CopyFrom(s)
	if p.strategy != nil {
		game.Rollout(p.state, p.strategy, p.epsilon, p.rng)
	} else {
		p.buf = game.Playout(p.state, p.rng, p.buf)
	}
	n := len(p.evaluations.Values)
	for range p.evaluations.Players {
		p.evaluations.Values = append(p.evaluations.Values, 0)
	}
	p.state.Returns(p.evaluations.Values[n:])
}

// Evaluate returns the results of the playouts since the last call. It never fails.
func (p *Playouts) Evaluate() (Evaluations, error) {
	evaluations := p.evaluations
	p.evaluations.Values = p.evaluations.Values[:0]
	return evaluations, nil
}

// SetRand makes later playouts draw from rng.
func (p *Playouts) SetRand(rng *rand.Rand) { p.rng = rng }

// counter forwards requests and counts them.
type counter struct {
	requests  Requests
	n, before int
}

func (c *counter) Add(s game.State) {
	c.requests.Add(s)
	c.n++
}
