package gametest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// checkStrategies checks that the game's strategies choose legal actions, do not
// depend on what the player can't see, and have rollouts that reach an end.
func checkStrategies(c *checker) error {
	seen := map[string]bool{}
	for _, q := range game.Strategies(c.g) {
		if q.Name == "" || seen[q.Name] {
			return fmt.Errorf("a strategy's name %q is empty or not unique", q.Name)
		}
		seen[q.Name] = true
		if err := c.strategy(&q); err != nil {
			return fmt.Errorf("strategy %q: %w", q.Name, err)
		}
	}
	return nil
}

func (c *checker) strategy(q *game.Strategy) error {
	return c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		was := c.look(s)
		seed := rng.Uint64()
		if s.CurrentPlayer() >= 0 {
			a := q.Choose(s, random.New(seed, random.Test))
			if !slices.Contains(was.legal, a) {
				return fmt.Errorf("it chooses %d, which is not among the legal %v", a, was.legal)
			}
			if h, ok := s.(game.ImperfectInformation); ok {
				h.Determinize(rng, s.CurrentPlayer())
			}
			if b := q.Choose(s, random.New(seed, random.Test)); b != a {
				return fmt.Errorf("with equal random sources it chooses %d, then %d in a state that differs only in what the player can't see", a, b)
			}
		}
		for _, epsilon := range []float64{0, 0.5} {
			r := c.at(prefix)
			game.Rollout(r, q, epsilon, rng)
			if r.CurrentPlayer() != game.Nobody {
				return fmt.Errorf(
					"after a rollout the current player is %d; the game should be over",
					r.CurrentPlayer())
			}
		}
		if _, hidden := s.(game.ImperfectInformation); hidden {
			return nil
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after a choice: %w", err)
		}
		return nil
	})
}
