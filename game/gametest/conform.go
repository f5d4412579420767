package gametest

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"tengen/game"
	"tengen/internal/random"
)

// TB is the part of testing.TB that the suite needs. A test can implement it to record
// failures.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Option configures Conform.
type Option func(c *checker)

// Games sets the number of random games that each check plays.
func Games(n int) Option { return func(c *checker) { c.games = n } }

// Seed sets the seed of the random games; the default is 1.
func Seed(seed uint64) Option { return func(c *checker) { c.seed = seed } }

// MaxPlies sets the number of actions, outcomes of chance included, after which a game
// counts as endless; the default is 100,000.
func MaxPlies(n int) Option { return func(c *checker) { c.maxPlies = n } }

// A check tests one property. Its name heads the report of a failure.
type check struct {
	name string
	run  func(c *checker) error
}

// checks lists the checks in the order in which they run.
var checks = []check{
	{"facts", checkFacts},
	{"rules", checkRules},
	{"name", checkName},
	{"reading", checkReading},
	{"replay", checkReplay},
	{"copies", checkCopies},
	{"observation", checkObservation},
	{"returns", checkReturns},
	{"hash", checkHash},
	{"chance", checkChance},
	{"hidden information", checkHidden},
	{"symmetries", checkSymmetries},
	{"action names", checkActionNames},
	{"presentation", checkPresentation},
	{"playout", checkPlayout},
	{"concurrency", checkConcurrency},
	{"allocations", checkAllocations},
	{"heuristics", checkHeuristics},
	{"strategies", checkStrategies},
	{"positions", checkPositions},
	{"pace", checkPace},
	{"auxiliary targets", checkAuxiliaryTargets},
	{"history", checkHistory},
	{"hidden facts", checkHiddenFacts},
	{"chronicle", checkChronicle},
	{"afterstates", checkAfterstates},
}

// Conform reports every property of games that g lacks. If g breaks the rules of play
// (an invalid current player, no legal action, no end), the other properties are not
// checked.
func Conform(t TB, g game.Game, options ...Option) {
	t.Helper()
	c := &checker{g: g, seed: 1, maxPlies: 100_000}
	for _, o := range options {
		o(c)
	}
	for i, k := range checks {
		c.check = uint64(i)
		if err := guarded(k.run, c); err != nil {
			t.Errorf("%s: %s: %v", c.title(), k.name, err)
			if k.name == "facts" || k.name == "rules" {
				return
			}
		}
	}
}

// guarded calls run and returns a panic in the game as an error.
func guarded(run func(c *checker) error, c *checker) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(c)
}

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
