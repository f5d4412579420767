package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// checkHidden checks that determinizations are consistent with what the seat has seen.
func checkHidden(c *checker) error {
	if _, ok := c.g.NewState().(game.ImperfectInformation); !ok {
		return nil
	}
	redrawn, changed := 0, 0
	err := c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		if s.CurrentPlayer() == game.Nobody {
			return nil
		}
		was := c.look(s)
		for p := range c.g.Players() {
			seat := game.Player(p)
			d := c.g.NewState()
			d.CopyFrom(s)
			d.(game.ImperfectInformation).Determinize(rng, seat)
			if err := was.differs(c.look(s)); err != nil {
				return fmt.Errorf("a state before and after its copy was determinized: %w", err)
			}
			if err := c.sameView(was, c.look(d), seat); err != nil {
				return fmt.Errorf("a determinization for seat %d: %w", seat, err)
			}
			redrawn++
			if d.Hash() != s.Hash() {
				changed++
			}
			if err := c.noLeak(s, d, seat, rng); err != nil {
				return err
			}
			if _, err := c.finish(d, rng, nil); err != nil {
				return fmt.Errorf("a determinization for seat %d: %w", seat, err)
			}
		}
		return nil
	})
	if err == nil && redrawn >= 20 && changed == 0 {
		err = fmt.Errorf("none of %d determinizations changed a state", redrawn)
	}
	return err
}

// sameView compares what seat sees of two states.
func (c *checker) sameView(v, w *snapshot, seat game.Player) error {
	switch {
	case v.mover != w.mover:
		return fmt.Errorf("the current player was %d and is %d", v.mover, w.mover)
	case v.turn != w.turn:
		return fmt.Errorf("the turn was %d and is %d", v.turn, w.turn)
	case v.keys[seat] != w.keys[seat]:
		return fmt.Errorf("the seat's information state key was %#x and is %#x",
			v.keys[seat], w.keys[seat])
	case v.mover != seat:
		return nil
	case !slices.Equal(v.legal, w.legal):
		return fmt.Errorf("the legal actions were %v and are %v", v.legal, w.legal)
	case !same(v.observation, w.observation):
		i := unequal(v.observation, w.observation)
		return fmt.Errorf("element %d of the observation was %v and is %v",
			i, v.observation[i], w.observation[i])
	}
	return nil
}

// noLeak compares determinizations of two states that seat can't tell apart: their
// distributions must be equal, or else Determinize depends on what is hidden. States
// with many possibilities are skipped, since a few samples say nothing about them.
func (c *checker) noLeak(s, d game.State, seat game.Player, rng *rand.Rand) error {
	const draws, few = 200, 12
	e := c.g.NewState()
	counts := map[uint64]*[2]float64{}
	for i := range draws {
		for k, from := range []game.State{s, d} {
			e.CopyFrom(from)
			e.(game.ImperfectInformation).Determinize(rng, seat)
			n := counts[e.Hash()]
			if n == nil {
				n = new([2]float64)
				counts[e.Hash()] = n
			}
			n[k]++
		}
		if i == 3*few && len(counts) > few {
			return nil
		}
	}
	if len(counts) == 1 || len(counts) > few {
		return nil
	}
	var chi float64
	for _, n := range counts {
		chi += (n[0] - n[1]) * (n[0] - n[1]) / (n[0] + n[1])
	}
	// The sum follows a chi-squared distribution with one degree of freedom less than
	// there are states.
	if free := float64(len(counts) - 1); chi > free+8*math.Sqrt(2*free)+10 {
		return fmt.Errorf("what is drawn for seat %d depends on what is hidden from it: two states that it can't tell apart give %d possible ones with frequencies that differ (chi squared %.0f)", seat, len(counts), chi)
	}
	return nil
}
