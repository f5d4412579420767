package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkReplay plays the actions of a game a second time, on a used state, and checks
// that turn numbers do not decrease.
func checkReplay(c *checker) error {
	used, initial := c.g.NewState(), c.g.NewState()
	return c.cut(func(_, all []game.Action, _ *rand.Rand) error {
		s := c.g.NewState()
		used.CopyFrom(initial)
		turn := c.look(s).turn
		for n := 0; ; n++ {
			v := c.look(s)
			if err := v.differs(c.look(used)); err != nil {
				return fmt.Errorf("%d actions played twice: %w", n, err)
			}
			if v.turn < turn {
				return fmt.Errorf("after %d actions the turn goes back from %d to %d",
					n, turn, v.turn)
			}
			turn = v.turn
			if n == len(all) {
				return nil
			}
			s.Apply(all[n])
			used.Apply(all[n])
		}
	})
}

// checkCopies plays on with a copy, then with the original, and checks that the other
// does not change. The copies are made over used states.
func checkCopies(c *checker) error {
	dirty := c.g.NewState()
	return c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		was := c.look(s)
		dirty.CopyFrom(s)
		if err := was.differs(c.look(dirty)); err != nil {
			return fmt.Errorf("a state and its copy: %w", err)
		}
		if _, err := c.finish(dirty, rng, nil); err != nil {
			return err
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after its copy was played on: %w", err)
		}
		dirty.CopyFrom(s)
		rest, err := c.finish(s, rng, nil)
		if err != nil {
			return err
		}
		if err := was.differs(c.look(dirty)); err != nil {
			return fmt.Errorf("a copy before and after the original was played on: %w", err)
		}
		for _, a := range rest {
			dirty.Apply(a)
		}
		if err := c.look(s).differs(c.look(dirty)); err != nil {
			return fmt.Errorf("a state and its copy, both played on by %v: %w", rest, err)
		}
		return nil
	})
}
