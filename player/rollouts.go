package player

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/spec"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// Rollouts say how a state is played to the end of the game: by the game's own playouts, or by a
// strategy.
type Rollouts struct {
	Strategy *game.Strategy // nil: the game's own playouts
	// Epsilon is the fraction of a strategy's actions that are drawn uniformly (game.Rollout).
	Epsilon float64
}

// evaluator returns an evaluator that plays them.
func (r Rollouts) evaluator(g game.Game) *search.Playouts {
	if r.Strategy == nil {
		return search.NewPlayouts(g, nil)
	}
	return search.NewRollouts(g, r.Strategy, r.Epsilon, nil)
}

// key returns ",rollout=…,epsilon=…" for a player's name, "" for the game's own playouts.
func (r Rollouts) key() string {
	if r.Strategy == nil {
		return ""
	}
	return fmt.Sprintf(",rollout=%s,epsilon=%g", r.Strategy.Name, r.Epsilon)
}

// defaultEpsilon is the fraction of a rollout's actions that are drawn uniformly.
const defaultEpsilon = 0.1

var (
	rolloutParam = spec.Param{Key: "rollout", Help: "the game's strategy that plays the playouts, such as random; default: the game's own playouts"}
	epsilonParam = spec.Param{Key: "epsilon", Help: "for rollout: fraction of actions that are drawn uniformly; default: 0.1"}
)

// readRollouts reads rolloutParam and epsilonParam.
func readRollouts(g game.Game, v *spec.Values) (r Rollouts, err error) {
	switch {
	case v.Given("rollout"):
		q, err := game.StrategyOf(g, v.String("rollout"))
		if err != nil {
			return r, fmt.Errorf("rollout=%s: %w", v.String("rollout"), err)
		}
		r = Rollouts{&q, defaultEpsilon}
		if v.Given("epsilon") {
			r.Epsilon = v.Float("epsilon", 0, 1)
		}
	case v.Given("epsilon"):
		v.Fail("epsilon", "is for rollout=STRATEGY only")
	}
	return r, nil
}

// Mix mixes rollouts into the utilities with which a network evaluates a leaf, as AlphaGo does
// (Silver et al. 2016): (1-Weight)·network + Weight·(mean of N rollouts).
type Mix struct {
	N      int     // rollouts of each leaf; 0: none
	Weight float64 // in [0, 1]
	Rollouts
}

// readMix reads the keys rollouts, mix, rollout and epsilon.
func readMix(g game.Game, v *spec.Values) (m Mix, err error) {
	if m.Rollouts, err = readRollouts(g, v); err != nil {
		return m, err
	}
	if m.N = v.Int("rollouts", 0, 1000); m.N > 0 {
		m.Weight = 0.5
	}
	switch {
	case m.N == 0 && v.Given("mix"):
		v.Fail("mix", "is for rollouts only")
	case m.N == 0 && v.Given("rollout"):
		v.Fail("rollout", "is for rollouts only")
	case v.Given("mix"):
		m.Weight = v.Float("mix", 0, 1)
	}
	return m, nil
}

// key returns ",rollouts=…" for a player's name, "" if there are none.
func (m Mix) key() string {
	if m.N == 0 {
		return ""
	}
	return fmt.Sprintf(",rollouts=%d,mix=%g", m.N, m.Weight) + m.Rollouts.key()
}

// mixer plays the rollouts of the states that a search requests.
type mixer struct {
	mix      Mix
	playouts *search.Playouts
	requests search.Requests // where the states go
	values   []float32       // [states, players] mixed
}

func newMixer(g game.Game, m Mix) *mixer { return &mixer{mix: m, playouts: m.evaluator(g)} }

// Add implements search.Requests.
func (m *mixer) Add(s game.State) {
	m.requests.Add(s)
	for range m.mix.N {
		m.playouts.Add(s)
	}
}

// mixed returns the network's evaluations of the states added with the rollouts mixed in.
func (m *mixer) mixed(e search.Evaluations) search.Evaluations {
	results, _ := m.playouts.Evaluate() // playouts never fail
	m.values = m.values[:0]
	for i := 0; i < len(results.Values)/(m.mix.N*e.Players); i++ {
		for p, v := range e.Utilities(i) {
			sum := 0.0
			for k := range m.mix.N {
				sum += float64(results.Utilities(i*m.mix.N + k)[p])
			}
			mean := sum / float64(m.mix.N)
			m.values = append(m.values, float32(float64((1-m.mix.Weight)*float64(v))+float64(m.mix.Weight*mean)))
		}
	}
	e.Values = m.values
	return e
}

// mixedStates is a tree of states whose evaluations are mixed.
type mixedStates struct {
	*mcts.Tree
	*mixer
}

// mixedSets is a tree of information sets whose evaluations are mixed.
type mixedSets struct {
	*ismcts.Tree
	*mixer
}

// mixed makes the evaluations of a tree mixed.
func mixed(g game.Game, tree Tree, m Mix) Tree {
	if m.N == 0 {
		return tree
	}
	if t, ok := tree.(*mcts.Tree); ok {
		return mixedStates{t, newMixer(g, m)}
	}
	return mixedSets{tree.(*ismcts.Tree), newMixer(g, m)}
}

// Advance implements search.Search.
func (t mixedStates) Advance(requests search.Requests) (done bool) {
	t.requests = requests
	return t.Tree.Advance(t.mixer)
}

// Deliver implements search.Search.
func (t mixedStates) Deliver(e search.Evaluations) { t.Tree.Deliver(t.mixer.mixed(e)) }

// SetRand also makes the rollouts draw from rng.
func (t mixedStates) SetRand(rng *rand.Rand) {
	t.Tree.SetRand(rng)
	t.playouts.SetRand(rng)
}

// Advance implements search.Search.
func (t mixedSets) Advance(requests search.Requests) (done bool) {
	t.requests = requests
	return t.Tree.Advance(t.mixer)
}

// Deliver implements search.Search.
func (t mixedSets) Deliver(e search.Evaluations) { t.Tree.Deliver(t.mixer.mixed(e)) }

// SetRand also makes the rollouts draw from rng.
func (t mixedSets) SetRand(rng *rand.Rand) {
	t.Tree.SetRand(rng)
	t.playouts.SetRand(rng)
}
