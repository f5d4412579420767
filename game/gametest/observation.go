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

// maxTurn bounds the states of a turn.
const maxTurn = 4096

// checkAfterstates checks that no afterstate has the observation of a state in which a player is to
// move, and that turns are small and end before an outcome of chance, or with the game.
func checkAfterstates(c *checker) error {
	if !game.ObservesAfterstates(c.g) {
		return nil
	}
	if !game.HasChance(c.g) {
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
		if s.CurrentPlayer() < 0 {
			return nil
		}
		_, err := countTurn(c.g, s)
		return err
	})
}

// countTurn returns the number of states of the turn after s.
func countTurn(g game.Game, s game.State) (states int, err error) {
	for _, a := range s.LegalActions(nil) {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		states++
		switch p := next.CurrentPlayer(); {
		case p == s.CurrentPlayer():
			n, err := countTurn(g, next)
			if err != nil {
				return 0, err
			}
			states += n
		case p >= 0:
			return 0,
				fmt.Errorf(
					"afterstates are observed, but a turn ends before a decision of another player")
		}
		if states > maxTurn {
			return 0,
				fmt.Errorf("afterstates are observed, but a turn has more than %d states", maxTurn)
		}
	}
	return states, nil
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
