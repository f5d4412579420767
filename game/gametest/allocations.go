package gametest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
)

// checkAllocations plays whole games on new states and counts allocations. Apply is
// measured alone first, then each other method together with Apply.
func checkAllocations(c *checker) error {
	size, players := c.g.Planes().Size(), c.g.Players()
	observation := make([]float32, size)
	utilities := make([]float32, players)
	legal := make([]game.Action, 0, c.g.Actions()+1)
	outcomes := make([]game.Outcome, 0, 4096)
	cells, seats := game.AuxiliaryTargetsOf(c.g)
	classes, numbers := make([]int8, len(cells)*c.g.Planes().H*c.g.Planes().W),
		make([]float32, len(seats)*players)
	facts := game.HiddenFactsOf(c.g)
	hidden, priors := make([]int8, len(facts)), make([]float32, game.HiddenFactClasses(facts))
	seen := uint64(0)
	methods := []struct {
		name string
		call func(s, other game.State)
	}{
		{"Apply", func(s, _ game.State) {}},
		{"CopyFrom", func(s, other game.State) { other.CopyFrom(s) }},
		{"Hash", func(s, _ game.State) { seen += s.Hash() }},
		{"LegalActions", func(s, _ game.State) {
			if s.CurrentPlayer() >= 0 {
				legal = s.LegalActions(legal[:0])
			}
		}},
		{"Observation", func(s, _ game.State) {
			if c.observable(s.CurrentPlayer()) {
				s.Observation(observation)
			}
		}},
		{"Returns", func(s, _ game.State) {
			if s.CurrentPlayer() == game.Nobody {
				s.Returns(utilities)
			}
		}},
		{"Scores", func(s, _ game.State) {
			if x, ok := s.(game.Scored); ok {
				x.Scores(utilities)
			}
		}},
		{"AuxiliaryTargets", func(s, _ game.State) {
			if x, ok := s.(game.AuxiliaryTargetState); ok && len(cells)+len(seats) > 0 &&
				s.CurrentPlayer() == game.Nobody {
				x.AuxiliaryTargets(classes, numbers)
			}
		}},
		{"HiddenFacts", func(s, _ game.State) {
			if x, ok := s.(game.HiddenFactState); ok && len(facts) > 0 && s.CurrentPlayer() >= 0 {
				x.HiddenFacts(0, hidden)
				x.HiddenFactPriors(0, priors)
			}
		}},
		{"Outcomes", func(s, _ game.State) {
			if s.CurrentPlayer() == game.Chance {
				outcomes = s.(game.Chancer).Outcomes(outcomes[:0])
			}
		}},
		{"InformationStateKey", func(s, _ game.State) {
			if x, ok := s.(game.ImperfectInformation); ok && s.CurrentPlayer() != game.Nobody {
				seen += x.InformationStateKey(0)
			}
		}},
	}
	for i, actions := range c.played[:min(3, len(c.played))] {
		for _, m := range methods {
			n := c.allocations(func(s, other game.State) {
				m.call(s, other)
				for _, a := range actions {
					s.Apply(a)
					m.call(s, other)
				}
			})
			if n > 0 {
				return afterActions(actions,
					fmt.Errorf("%s allocates: %v times in a game of %d actions",
						m.name, n, len(actions)))
			}
		}
		if err := c.randomAllocations(c.rng(i)); err != nil {
			return err
		}
	}
	return nil
}

// randomAllocations measures the methods that take a random source.
func (c *checker) randomAllocations(rng *rand.Rand) error {
	initial := c.g.NewState()
	if _, ok := initial.(game.Playouter); ok {
		if n := c.allocations(func(s, _ game.State) { s.(game.Playouter).Playout(rng) }); n > 0 {
			return fmt.Errorf("a Playout from the initial position allocates %v times", n)
		}
	}
	if initial.CurrentPlayer() == game.Chance {
		if n := c.allocations(func(s, _ game.State) { s.(game.Chancer).Sample(rng) }); n > 0 {
			return fmt.Errorf("a Sample at the initial position allocates %v times", n)
		}
	}
	return nil
}

// allocations returns how often play allocates on two new states. It takes the minimum
// of several counts, since other goroutines may allocate meanwhile.
func (c *checker) allocations(play func(s, other game.State)) float64 {
	var least float64
	for range 4 {
		// AllocsPerRun calls the function once before it counts.
		fresh := []game.State{c.g.NewState(), c.g.NewState(), c.g.NewState(), c.g.NewState()}
		n := testing.AllocsPerRun(1, func() {
			play(fresh[0], fresh[1])
			fresh = fresh[2:]
		})
		if n == 0 {
			return 0
		}
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}
