package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// checkPlayout checks that the game's own playout, if it has one, reaches an end and
// takes all its randomness from rng.
func checkPlayout(c *checker) error {
	if _, ok := c.g.NewState().(game.Playouter); !ok {
		return nil
	}
	return c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		seed := rng.Uint64()
		var ends [2]*snapshot
		for i := range ends {
			s := c.at(prefix)
			s.(game.Playouter).Playout(random.New(seed, random.Test))
			if s.CurrentPlayer() != game.Nobody {
				return fmt.Errorf(
					"after a playout the current player is %d; the game should be over",
					s.CurrentPlayer())
			}
			ends[i] = c.look(s)
		}
		if err := ends[0].differs(ends[1]); err != nil {
			return fmt.Errorf("two playouts from equal random sources: %w", err)
		}
		return nil
	})
}
