package gametest

import (
	"fmt"
	"runtime/debug"

	"tengen/game"
)

// TB is the part of testing.TB that the suite needs, so that a test can record
// what it reports.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Option changes how Conform works.
type Option func(c *checker)

// Games sets the number of random games that each check plays.
func Games(n int) Option { return func(c *checker) { c.games = n } }

// Seed sets the seed from which the random games are drawn, 1 unless set.
func Seed(seed uint64) Option { return func(c *checker) { c.seed = seed } }

// MaxPlies sets the number of actions, outcomes of chance included, after
// which a game counts as endless, 100,000 unless set.
func MaxPlies(n int) Option { return func(c *checker) { c.maxPlies = n } }

// A check looks at one property. Its name heads the report of a failure.
type check struct {
	name string
	run  func(c *checker) error
}

// checks are in the order in which they are run.
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
}

// Conform reports every property of games that g lacks. Where g does not even
// play by the rules (a mover that does not exist, no legal action, no end),
// the other properties are not looked at.
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

// guarded makes an error of a panic in the game.
func guarded(run func(c *checker) error, c *checker) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run(c)
}
