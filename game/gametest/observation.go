package gametest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"tengen/game"
)

// observable reports whether states with a current player have an observation.
func (c *checker) observable(p game.Player) bool {
	return p != game.Chance || game.ObservesAfterstates(c.g)
}

// checkAfterstates checks that no afterstate has the observation of a state in which a player is to move.
func checkAfterstates(c *checker) error {
	if !game.ObservesAfterstates(c.g) {
		return nil
	}
	if x, ok := c.g.(game.Stochastic); !ok || !x.HasChance() {
		return fmt.Errorf("afterstates are observed in a game without chance")
	}
	if _, hides := c.g.NewState().(game.ImperfectInformation); hides {
		return fmt.Errorf("afterstates are observed in a game with hidden information")
	}
	size := c.g.Planes().Size()
	observation := make([]float32, size)
	seen := map[uint64]bool{} // whether chance is next
	return c.each(func(s game.State, _ *rand.Rand) error {
		s.Observation(observation)
		h := fnv.New64a()
		for _, x := range observation {
			binary.Write(h, binary.LittleEndian, x) // a Hash never returns an error
		}
		key, after := h.Sum64(), s.CurrentPlayer() == game.Chance
		if was, known := seen[key]; known && was != after {
			return fmt.Errorf("an afterstate has the observation of a state in which no outcome of chance is next")
		}
		seen[key] = after
		return nil
	})
}

// checkObservation fills the buffer with a marker first, to see whether all of it is
// written.
func checkObservation(c *checker) error {
	size := c.g.Planes().Size()
	return c.each(func(s game.State, _ *rand.Rand) error {
		if !c.observable(s.CurrentPlayer()) {
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
