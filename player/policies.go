package player

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nash"
	"tengen/nn"
	"tengen/search"
	"tengen/search/nneval"
)

// Random plays a legal action drawn uniformly.
type Random struct{}

// Name returns "random".
func (Random) Name() string { return "random" }

// Draws implements Drawing.
func (Random) Draws() bool { return true }

// NewEvaluator returns nil: nothing is evaluated.
func (Random) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// Probabilities implements Explicit.
func (Random) Probabilities(
	_ game.State, _ search.Evaluator, legal []game.Action, dst []float64,
) error {
	for i := range legal {
		dst[i] = 1 / float64(len(legal))
	}
	return nil
}

// NewAgent implements Player.
func (Random) NewAgent(game.Game) Agent { return &randomAgent{} }

type randomAgent struct {
	rng   *rand.Rand
	legal []game.Action
}

func (r *randomAgent) Begin(rng *rand.Rand) { r.rng = rng }

func (r *randomAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	r.legal = s.LegalActions(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))], true
}

func (r *randomAgent) Deliver(search.Evaluations) {}
func (r *randomAgent) Played(game.Action)         {}

// RawPolicy plays by a network's policy alone, without search.
type RawPolicy struct {
	Label   string // names the weights: a path
	Weights nn.Network
	// Params are the parameters that Weights were made from, if Parse made the player: see On.
	Params *nn.Params
	// PassedOver are errors of newer checkpoints that are damaged and were not loaded.
	PassedOver []error
	// Planes are those of the game's observation that the network sees, nil for all
	// (nneval.Options).
	Planes []int
	// Canonical evaluates each position in its canonical orientation.
	Canonical bool
	// Afterstates derives the policy from the values of the states to which a turn can lead
	// (nneval.Turns).
	Afterstates bool
	// Temperature: actions are drawn in proportion to probability^(1/Temperature); 0: the most
	// probable one.
	Temperature float64
}

func newRawPolicy(g game.Game, v *notation.Values) (Player, error) {
	run, err := runOf(v.Bare)
	if err != nil {
		return nil, err
	}
	settings := configs.Default().Search
	if run != nil {
		settings = run.Search
	}
	n := &RawPolicy{
		Label: v.Bare, Canonical: settings.Canonical, Temperature: v.Float("temperature", 0, 100),
	}
	if v.Err() != nil {
		return nil, v.Err()
	}
	model, planes, err := load(g, v.Bare)
	if err == nil {
		err = checkPlanes(v.Bare, planes, n.Canonical)
	}
	if err != nil {
		return nil, err
	}
	n.Planes = planes
	n.Afterstates = valuesAfterstates(g, model.Params.Spec)
	if model.Params.Spec.Policy == nn.PolicyNone && !n.Afterstates {
		return nil, fmt.Errorf("the network of %s has no policy", v.Bare)
	}
	weights, err := fold(g, v.Bare, model, planes)
	if err != nil {
		return nil, err
	}
	n.Weights, n.Params, n.PassedOver = weights, model.Params, model.PassedOver
	return n, nil
}

func (n *RawPolicy) network() network { return network{n.Params, &n.Weights, n.PassedOver} }

// Name implements Player.
func (n *RawPolicy) Name() string {
	name := "policy:" + notation.Quote(n.Label)
	if n.Temperature != 1 {
		name += fmt.Sprintf(",temperature=%g", n.Temperature)
	}
	return name
}

// Draws implements Drawing.
func (n *RawPolicy) Draws() bool { return n.Temperature > 0 }

// NewEvaluator makes an evaluator on the player's weights.
func (n *RawPolicy) NewEvaluator(g game.Game, capacity int) search.Evaluator {
	o := nneval.Options{Name: n.Label, Canonical: n.Canonical, Weights: n.Weights, Planes: n.Planes}
	e, _, _ := nneval.ForSearch(g, n.Weights.NewEvaluator(), capacity, o, n.Afterstates)
	return e
}

// NewAgent implements Player.
func (n *RawPolicy) NewAgent(game.Game) Agent { return &rawAgent{player: n} }

// Probabilities implements Explicit.
func (n *RawPolicy) Probabilities(
	s game.State, e search.Evaluator, legal []game.Action, dst []float64,
) error {
	e.Add(s)
	rows, err := e.Evaluate()
	if err != nil {
		return err
	}
	n.probabilities(rows.Policy, legal, dst)
	return nil
}

// probabilities writes those of the legal actions by the logits of all.
func (n *RawPolicy) probabilities(logits []float32, legal []game.Action, dst []float64) {
	most, best := math.Inf(-1), 0
	for i, a := range legal {
		if x := float64(logits[a]); x > most {
			most, best = x, i
		}
	}
	sum := 0.0
	for i, a := range legal {
		switch {
		case n.Temperature > 0:
			dst[i] = math.Exp((float64(logits[a]) - most) / n.Temperature)
		case i == best:
			dst[i] = 1
		default:
			dst[i] = 0
		}
		sum += dst[i]
	}
	for i := range legal {
		dst[i] /= sum
	}
}

type rawAgent struct {
	player        *RawPolicy
	rng           *rand.Rand
	legal         []game.Action
	probabilities []float64
	answered      bool // probabilities are those of the position
}

func (r *rawAgent) Begin(rng *rand.Rand) { r.rng, r.answered = rng, false }

func (r *rawAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !r.answered {
		r.legal = s.LegalActions(r.legal[:0])
		requests.Add(s)
		return game.NoAction, false
	}
	r.answered = false
	return r.legal[drawn(r.probabilities, r.rng)], true
}

func (r *rawAgent) Deliver(rows search.Evaluations) {
	for len(r.probabilities) < len(r.legal) {
		r.probabilities = append(r.probabilities, 0)
	}
	r.probabilities = r.probabilities[:len(r.legal)]
	r.player.probabilities(rows.Policy, r.legal, r.probabilities)
	r.answered = true
}

func (r *rawAgent) Played(game.Action) {}

// CFR plays the average policy of CFR+ (package nash), in games that are small enough to enumerate.
// Its policy is computed when it is first needed.
type CFR struct {
	Iterations int
	policy     func() map[cfrKey][]float64
}

// cfrKey is what a player sees.
type cfrKey struct {
	seat game.Player
	key  uint64
}

// NewCFR makes the player for g. It returns an error if g has too many histories, or if what
// players see does not contain what they have seen before.
func NewCFR(g game.Game, iterations int) (*CFR, error) {
	if !hides(g) {
		return nil,
			fmt.Errorf("cfr needs a game with hidden information, which %s has not", g.Name())
	}
	tree, err := nash.Enumerate(context.Background(), g, nash.DefaultLimit)
	if err != nil {
		return nil, err
	}
	if !tree.Remembers() {
		return nil, fmt.Errorf("cfr needs a game in which what players see tells all that they have seen and done, as it does not in %s", g.Name())
	}
	return &CFR{iterations, sync.OnceValue(func() map[cfrKey][]float64 {
		s := nash.NewCFR(tree)
		s.Run(iterations)
		policy := map[cfrKey][]float64{}
		for i, row := range s.Average() {
			x := &tree.Sets()[i]
			policy[cfrKey{x.Player, x.Key}] = row
		}
		return policy
	})}, nil
}

func newCFR(g game.Game, v *notation.Values) (Player, error) {
	iterations := v.Int("iterations", 1, maxCFRIterations)
	if v.Err() != nil {
		return nil, v.Err()
	}
	return NewCFR(g, iterations)
}

// maxCFRIterations is the greatest number that users may set.
const maxCFRIterations = 10_000_000

// Name implements Player.
func (c *CFR) Name() string { return fmt.Sprintf("cfr:iterations=%d", c.Iterations) }

// Draws implements Drawing.
func (c *CFR) Draws() bool { return true }

// NewEvaluator returns nil: nothing is evaluated.
func (c *CFR) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewAgent implements Player.
func (c *CFR) NewAgent(game.Game) Agent { return &cfrAgent{policy: c.policy()} }

// Probabilities implements Explicit.
func (c *CFR) Probabilities(
	s game.State, _ search.Evaluator, _ []game.Action, dst []float64,
) error {
	copy(dst, at(c.policy(), s))
	return nil
}

// at returns the policy of the current player of s.
func at(policy map[cfrKey][]float64, s game.State) []float64 {
	p := s.CurrentPlayer()
	return policy[cfrKey{p, s.(game.ImperfectInformation).InformationStateKey(p)}]
}

type cfrAgent struct {
	policy map[cfrKey][]float64
	rng    *rand.Rand
	legal  []game.Action
}

func (c *cfrAgent) Begin(rng *rand.Rand) { c.rng = rng }

func (c *cfrAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	c.legal = s.LegalActions(c.legal[:0])
	return c.legal[drawn(at(c.policy, s), c.rng)], true
}

func (c *cfrAgent) Deliver(search.Evaluations) {}
func (c *cfrAgent) Played(game.Action)         {}

// drawn draws an index by its probability.
func drawn(probabilities []float64, rng *rand.Rand) int {
	x, last := rng.Float64(), 0
	for i, p := range probabilities {
		if p > 0 {
			last = i
			if x < p {
				return i
			}
			x -= p
		}
	}
	return last // rounding
}
