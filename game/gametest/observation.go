package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkObservation fills the buffer with a marker first, to see whether all of it is
// written.
func checkObservation(c *checker) error {
	size := c.g.Planes().Size()
	return c.each(func(s game.State, _ *rand.Rand) error {
		if s.CurrentPlayer() == game.Chance {
			return nil
		}
		b := poisoned(size)
		s.Observation(b)
		if err := written(b, size); err != nil {
			return fmt.Errorf("observation: %w", err)
		}
		return nil
	})
}
