package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkHash collects the hashes of all states of the games. States with equal hashes
// must have equal futures: the same actions, played at random to the end, are legal in
// both and lead to the same result.
func checkHash(c *checker) error {
	const most = 100_000 // states whose hashes are kept
	const perGame = 8    // pairs of states compared per game
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
			// Late states are rarely equal: a pair in the second half of a game is always
			// compared, in the first half with probability 1/4.
			if ok && pairs < perGame && (n > len(actions)/2 || rng.IntN(4) == 0) {
				pairs++
				if err := c.sameFuture(c.at(first), c.at(actions[:n]), rng); err != nil {
					return fmt.Errorf(
						"the hash %#x is that of the states after %v and after %v, but %w",
						h, first, actions[:n], err)
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

// sameFuture plays on from both states with the same random actions and returns an
// error if they differ.
func (c *checker) sameFuture(s, u game.State, rng *rand.Rand) error {
	for n := 0; ; n++ {
		v, w := c.look(s), c.look(u)
		if err := v.differsInPlay(w); err != nil {
			return fmt.Errorf("%d actions on, %w", n, err)
		}
		if v.hash != w.hash {
			return fmt.Errorf("%d actions on, the hash is %#x in one, %#x in the other",
				n, v.hash, w.hash)
		}
		if v.mover == game.Nobody {
			return nil
		}
		a, err := randomAction(s, rng)
		if err != nil {
			return err
		}
		s.Apply(a)
		u.Apply(a)
	}
}
