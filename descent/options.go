package descent

import (
	"errors"
	"fmt"
	"time"

	"tengen/game"
)

// DefaultMaxNodes is the default of Options.MaxNodes: about 80 MB with three
// players, if they are all needed.
const DefaultMaxNodes = 1 << 20

// mostNodes keeps the number of an edge within an int32.
const mostNodes = 1 << 27

// edgesPerNode bounds the edges of a tree, as a multiple of MaxNodes. Without
// transpositions there is one edge a node.
const edgesPerNode = 8

// Options describe a search.
type Options struct {
	// BestFirst ends an iteration when it has expanded a state (UBFM); without it
	// an iteration continues to the end of the game (Descent).
	BestFirst bool
	// Iterations is the budget of a search, that is of one move; 0: no limit.
	Iterations int
	// Time is the budget by the clock, which is read before each expansion; 0: no
	// limit. At least one of the two budgets is required.
	Time time.Duration
	// Terminal is the value of finished games. The zero value is the result.
	Terminal Terminal
	// MaxNodes bounds the states held; 0: DefaultMaxNodes. There is always room for
	// 2·(Actions + 1), so that the root can be expanded.
	MaxNodes int
}

// Check returns an error if g can't be searched with o: because it has chance or
// imperfect information, or lacks an ability that the terminal evaluation needs, or
// because an option is out of range.
func Check(g game.Game, o Options) error {
	if game.HasChance(g) {
		return fmt.Errorf("descent: %s has chance; best-first minimax wants a game without",
			g.Name())
	}
	if _, ok := g.NewState().(game.ImperfectInformation); ok {
		return fmt.Errorf(
			"descent: %s has hidden information; best-first minimax wants a game without", g.Name())
	}
	if err := o.Terminal.check(g); err != nil {
		return fmt.Errorf("descent: %w", err)
	}
	if err := o.checkBudget(); err != nil {
		return fmt.Errorf("descent: %w", err)
	}
	if o.MaxNodes < 0 || o.MaxNodes > mostNodes {
		return fmt.Errorf("descent: max nodes is %d; a number from 1 to %d is wanted, or 0 for %d",
			o.MaxNodes, mostNodes, DefaultMaxNodes)
	}
	return nil
}

// checkBudget returns an error if the budget is out of range.
func (o Options) checkBudget() error {
	switch {
	case o.Iterations < 0 || o.Iterations > maxIterations:
		return fmt.Errorf("iterations is %d; a number from 1 to %d is wanted, or 0 for no limit",
			o.Iterations, maxIterations)
	case o.Time < 0:
		return fmt.Errorf("time is %v; more than 0 is wanted, or 0 for no limit", o.Time)
	case o.Iterations == 0 && o.Time == 0:
		return errors.New("the search has no budget; iterations or time is wanted")
	}
	return nil
}

// maxIterations keeps visit counts, over the searches of a whole game, within
// an int32.
const maxIterations = 1 << 24
