package player

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/search"
	"tengen/search/nneval"
)

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
