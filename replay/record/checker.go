package record

import (
	"fmt"
	"slices"

	"tengen/game"
)

// Checker checks records against the rules of a game, more strictly than a Window: of every move
// also that what was visited was legal. It is used by one goroutine.
type Checker struct {
	replayer *Replayer
	trees    Indexer
	visited  []game.Action
}

// NewChecker returns a Checker for records of g.
func NewChecker(g game.Game) *Checker {
	return &Checker{replayer: NewReplayer(g), trees: Indexer{Game: g}}
}

// Check returns an error if the record is inconsistent, or can't have come from the game.
func (c *Checker) Check(rec *Game) error {
	if err := rec.Check(); err != nil {
		return fmt.Errorf("game %d: %w", rec.Number, err)
	}
	r := c.replayer
	if err := r.Begin(rec); err != nil {
		return err
	}
	trees := len(rec.Trees) > 0
	if trees {
		c.trees.Start(rec)
		defer c.trees.Release()
	}
	for ply := range rec.Moves {
		if err := r.CheckMover(rec); err != nil {
			return err
		}
		if err := c.checkVisits(&rec.Moves[ply]); err != nil {
			return fmt.Errorf("game %d, ply %d: %w", rec.Number, ply, err)
		}
		if trees {
			if err := c.trees.At(rec, ply, r.State(), r.LegalActions()); err != nil {
				return err
			}
		}
		if err := r.Step(rec); err != nil {
			return err
		}
	}
	return r.Finish(rec)
}

// checkVisits checks that visited actions are legal, and each is listed once.
func (c *Checker) checkVisits(m *Move) error {
	if len(m.Visits) == 0 {
		return nil
	}
	legal := c.replayer.LegalActions()
	c.visited = c.visited[:0]
	for _, v := range m.Visits {
		if _, ok := slices.BinarySearch(legal, v.Action); !ok {
			return fmt.Errorf("the visited action %d is not legal", v.Action)
		}
		c.visited = append(c.visited, v.Action)
	}
	slices.Sort(c.visited)
	for i := 1; i < len(c.visited); i++ {
		if c.visited[i] == c.visited[i-1] {
			return fmt.Errorf("the visited action %d is listed twice", c.visited[i])
		}
	}
	return nil
}
