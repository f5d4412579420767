package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// work limits a check: the number of values (actions and elements of observations)
// that it reads while playing its games.
const work = 5_000_000

// A checker holds the game under test and the options.
type checker struct {
	g        game.Game
	seed     uint64
	games    int // number of games to play; 0: as many as work permits
	maxPlies int
	check    uint64          // index of the running check
	played   [][]game.Action // the random games, once checkRules has played them
}

func (c *checker) title() string {
	if name := c.g.Name(); name != "" {
		return name
	}
	return "a game without a name"
}

// rng returns the random stream of one game of the running check.
func (c *checker) rng(number int) *rand.Rand {
	return random.New(c.seed, random.Test, c.check, uint64(number))
}

// enough reports whether enough games have been played, given their total number of
// plies.
func (c *checker) enough(plies int) bool {
	n := len(c.played)
	if c.games > 0 {
		return n >= c.games
	}
	const least, most = 4, 500
	perPly := c.g.Planes().Size() + c.g.Actions() + 50
	return n >= most || n >= least && plies*perPly >= work
}

// randomAction returns the next action of a random game.
func randomAction(s game.State, rng *rand.Rand) (game.Action, error) {
	if s.CurrentPlayer() == game.Chance {
		return s.(game.Chancer).Sample(rng), nil
	}
	legal := s.LegalActions(nil)
	if len(legal) == 0 {
		return game.NoAction,
			fmt.Errorf("no action is legal while the current player is %d", s.CurrentPlayer())
	}
	return legal[rng.IntN(len(legal))], nil
}

// finish plays s to its end at random and appends the actions played to actions.
func (c *checker) finish(
	s game.State, rng *rand.Rand, actions []game.Action,
) ([]game.Action, error) {
	for s.CurrentPlayer() != game.Nobody {
		if len(actions) >= c.maxPlies {
			return actions, fmt.Errorf("the game has not ended after %d actions", c.maxPlies)
		}
		a, err := randomAction(s, rng)
		if err != nil {
			return actions, afterActions(actions, err)
		}
		s.Apply(a)
		actions = append(actions, a)
	}
	return actions, nil
}

// at returns the state after actions.
func (c *checker) at(actions []game.Action) game.State {
	s := c.g.NewState()
	for _, a := range actions {
		s.Apply(a)
	}
	return s
}

// each calls visit with every state of the random games, the final ones included.
// visit must not retain s.
func (c *checker) each(visit func(s game.State, rng *rand.Rand) error) error {
	for i, actions := range c.played {
		rng := c.rng(i)
		s := c.g.NewState()
		for n := 0; ; n++ {
			if err := visit(s, rng); err != nil {
				return afterActions(actions[:n], err)
			}
			if n == len(actions) {
				break
			}
			s.Apply(actions[n])
		}
	}
	return nil
}

// cut calls visit once for each random game, with the actions that lead to one of its
// states, picked at random, and with all of its actions.
func (c *checker) cut(visit func(prefix, all []game.Action, rng *rand.Rand) error) error {
	for i, actions := range c.played {
		rng := c.rng(i)
		n := rng.IntN(len(actions) + 1)
		if err := visit(actions[:n:n], actions, rng); err != nil {
			return afterActions(actions[:n], err)
		}
	}
	return nil
}

// afterActions adds to err the actions that lead to it.
func afterActions(actions []game.Action, err error) error {
	return fmt.Errorf("%w (after the %d actions %v)", err, len(actions), actions)
}
