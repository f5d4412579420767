package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
	"tengen/internal/testkit"
)

// checkHeuristics checks the names, values and bounds of a game's heuristics.
func checkHeuristics(c *checker) error {
	seen := map[string]bool{}
	for _, h := range game.Heuristics(c.g) {
		if h.Name == "" || seen[h.Name] {
			return fmt.Errorf("a heuristic's name %q is empty or not unique", h.Name)
		}
		seen[h.Name] = true
		if err := c.heuristic(h); err != nil {
			return fmt.Errorf("heuristic %q: %w", h.Name, err)
		}
	}
	return nil
}

// longestTurns is the maximum number of turns in a check of ranges.
const longestTurns = 4

func (c *checker) heuristic(h game.Heuristic) error {
	if !(h.Low < h.High) || math.IsInf(h.Low, 0) || math.IsInf(h.High, 0) ||
		!(h.TurnLow <= 0 && h.TurnHigh >= 0) {
		return fmt.Errorf("invalid bounds: values from %v to %v, gains from %v to %v",
			h.Low, h.High, h.TurnLow, h.TurnHigh)
	}
	err := c.cut(func(prefix, all []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		was := c.look(s)
		copied := c.g.NewState()
		copied.CopyFrom(s)
		for p := range game.Player(c.g.Players()) {
			v := h.Value(s, p)
			if !(v >= h.Low && v <= h.High) {
				return fmt.Errorf("the value to player %d is %v, not in [%v, %v]",
					p, v, h.Low, h.High)
			}
			if w := h.Value(copied, p); w != v {
				return fmt.Errorf("the value to player %d is %v, in a copy %v", p, v, w)
			}
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after evaluation: %w", err)
		}
		if _, ok := s.(game.Turned); !ok || s.CurrentPlayer() == game.Nobody {
			return nil
		}
		for p := range game.Player(c.g.Players()) {
			if err := c.ranges(h, prefix, all[len(prefix):], p,
				1+rng.IntN(longestTurns)); err != nil {
				return err
			}
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after a check of ranges: %w", err)
		}
		return nil
	})
	if err != nil || len(c.played) == 0 || testkit.Race { // where pools drop what they are given
		return err
	}
	actions := c.played[0]
	n := c.allocations(func(s, _ game.State) {
		h.Value(s, 0)
		for _, a := range actions {
			if h.Gain != nil && s.CurrentPlayer() >= 0 {
				h.Gain(s, a, 0)
			}
			s.Apply(a)
			h.Value(s, 0)
		}
	})
	if n > 0 {
		return fmt.Errorf("its functions allocate %v times in a game of %d actions",
			n, len(actions))
	}
	return nil
}

// ranges plays from prefix for a number of turns and checks the resulting value and gains against
// the bounds.
func (c *checker) ranges(
	h game.Heuristic, prefix, rest []game.Action, p game.Player, turns int,
) error {
	s := c.at(prefix)
	low := h.Low + float64(turns)*h.TurnLow
	high := h.High + float64(turns)*h.TurnHigh
	end := s.(game.Turned).Turn() + turns
	worth := 0.0
	for _, a := range rest {
		if s.(game.Turned).Turn() >= end || s.CurrentPlayer() == game.Nobody {
			break
		}
		if h.Gain != nil && s.CurrentPlayer() >= 0 {
			worth += h.Gain(s, a, p)
		}
		s.Apply(a)
	}
	worth += h.Value(s, p)
	if rounding := 1e-9 * (1 + math.Abs(low) + math.Abs(high)); !(worth >= low-rounding &&
		worth <= high+rounding) {
		return fmt.Errorf("after %d turns the value is %v to player %d, not in [%v, %v]",
			turns, worth, p, low, high)
	}
	return nil
}

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
