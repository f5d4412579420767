package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkChronicle plays the histories that states tell, those of determinizations included, and
// compares where they lead to.
func checkChronicle(c *checker) error {
	if _, ok := c.g.NewState().(game.Chronicler); !ok {
		return nil
	}
	return c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		if err := c.leadsTo(s); err != nil {
			return err
		}
		if !isHidden(s) || s.CurrentPlayer() == game.Nobody {
			return nil
		}
		for p := range c.g.Players() {
			d := c.g.NewState()
			d.CopyFrom(s)
			d.(game.ImperfectInformation).Determinize(rng, game.Player(p))
			if err := c.leadsTo(d); err != nil {
				return fmt.Errorf("a determinization for seat %d: %w", p, err)
			}
		}
		return nil
	})
}

// leadsTo plays the history of s.
func (c *checker) leadsTo(s game.State) error {
	actions := s.(game.Chronicler).History(nil)
	r := game.NewReplayer(c.g)
	for _, a := range actions {
		if err := r.Play(a); err != nil {
			return fmt.Errorf("the history %v: %w", actions, err)
		}
	}
	if err := c.look(s).differs(c.look(r.State())); err != nil {
		return fmt.Errorf("the history %v leads to another state: %w", actions, err)
	}
	return nil
}
