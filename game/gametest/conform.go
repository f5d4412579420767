package gametest

import (
	"fmt"
	"runtime/debug"

	"tengen/game"
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
