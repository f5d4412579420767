package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkHash collects the hashes of all states of the games. Where two are
// equal, the states must have equal futures: the same actions, played at random
// to the end, are legal in both and lead to the same result.
func checkHash(c *checker) error {
	const most = 100_000 // states remembered
	const perGame = 8    // pairs of one game's states that are played on
	seen := map[uint64][]game.Action{}
	for i, actions := range c.played {
		rng := c.rng(i)
		s := c.g.NewState()
		pairs := 0
		for n := 0; ; n++ {
			h := s.Hash()
			first, ok := seen[h]
			if !ok && len(seen) < most {
				seen[h] = actions[:n]
			}
			// Late states meet rarely: a pair is always played on where it is
			// of a game's second half, and by lot in the first.
			if ok && pairs < perGame && (n > len(actions)/2 || rng.IntN(4) == 0) {
				pairs++
				if err := c.sameFuture(c.at(first), c.at(actions[:n]), rng); err != nil {
					return fmt.Errorf("the hash %#x is that of the states after %v and after %v, but %w", h, first, actions[:n], err)
				}
			}
			if n == len(actions) {
				break
			}
			s.Apply(actions[n])
		}
	}
	return nil
}

// sameFuture plays both states on by the same random actions.
func (c *checker) sameFuture(s, u game.State, rng *rand.Rand) error {
	for n := 0; ; n++ {
		v, w := c.look(s), c.look(u)
		if err := v.playsUnlike(w); err != nil {
			return fmt.Errorf("%d actions on, %w", n, err)
		}
		if v.hash != w.hash {
			return fmt.Errorf("%d actions on, the hash is %#x in one, %#x in the other", n, v.hash, w.hash)
		}
		if v.mover == game.Nobody {
			return nil
		}
		a, err := step(s, rng)
		if err != nil {
			return err
		}
		s.Apply(a)
		u.Apply(a)
	}
}
