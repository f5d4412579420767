package player

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/nash"
	"tengen/search"
)

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
