package gametest

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// checkHistory checks that the planes of the public history hold nothing private. It plays pairs of
// histories that a seat can't tell apart: a state and a determinization of it, in which equal
// actions are played as far as the seat sees, and hidden ones that look alike to it. The planes
// must be equal all the way, whoever is to move.
func checkHistory(c *checker) error {
	from, to := game.HistoryPlanes(c.g)
	if shape := c.g.Planes(); from < 0 || to < from || to > shape.C {
		return fmt.Errorf("the planes %d to %d show it; there are %d planes", from, to-1, shape.C)
	}
	if _, ok := c.g.NewState().(game.ImperfectInformation); !ok || from == to {
		return nil
	}
	compared := 0
	err := c.cut(func(prefix, _ []game.Action, rng *rand.Rand) error {
		for p := range c.g.Players() {
			s, d := c.at(prefix), c.g.NewState()
			if s.CurrentPlayer() == game.Nobody {
				return nil
			}
			seat := game.Player(p)
			d.CopyFrom(s)
			d.(game.ImperfectInformation).Determinize(rng, seat)
			n, err := c.sameHistory(s, d, seat, rng)
			if err != nil {
				return fmt.Errorf("two histories that seat %d can't tell apart: %w", seat, err)
			}
			compared += n
		}
		return nil
	})
	if err == nil && compared == 0 && len(c.played) >= 20 {
		err = fmt.Errorf("none of %d games gave two different states that a seat can't tell apart",
			len(c.played))
	}
	return err
}

// sameHistory plays s and d, which seat can't tell apart, on as long as possible. It returns the
// number of different states that were compared.
func (c *checker) sameHistory(
	s, d game.State, seat game.Player, rng *rand.Rand,
) (compared int, err error) {
	from, to := game.HistoryPlanes(c.g)
	shape := c.g.Planes()
	size := shape.H * shape.W
	observed := [2][]float32{make([]float32, shape.Size()), make([]float32, shape.Size())}
	for n := 0; s.CurrentPlayer() != game.Nobody && d.CurrentPlayer() != game.Nobody; n++ {
		if s.CurrentPlayer() != game.Chance {
			s.Observation(observed[0])
			d.Observation(observed[1])
			if i := unequal(observed[0][from*size:to*size],
				observed[1][from*size:to*size]); i >= 0 {
				return compared,
					fmt.Errorf("%d actions on, element %d of the history planes is %v in one, %v in the other", n, i, observed[0][from*size+i], observed[1][from*size+i])
			}
			if s.Hash() != d.Hash() {
				compared++
			}
		}
		a, err := randomAction(s, rng)
		if err != nil {
			return compared, err
		}
		next := c.g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		alike := c.alike(d, next, a, seat)
		if alike == nil {
			return compared, nil
		}
		s, d = next, alike
	}
	return compared, nil
}

// alike returns d after an action that seat can't tell from a, by which another state became next;
// nil if there is none.
func (c *checker) alike(d, next game.State, a game.Action, seat game.Player) game.State {
	x := c.g.NewState()
	fits := func(b game.Action) bool {
		x.CopyFrom(d)
		x.Apply(b)
		if x.CurrentPlayer() != next.CurrentPlayer() {
			return false
		}
		return x.CurrentPlayer() == game.Nobody ||
			x.(game.ImperfectInformation).InformationStateKey(seat) ==
				next.(game.ImperfectInformation).InformationStateKey(seat)
	}
	possible := possibleActions(d)
	for _, b := range possible {
		if b == a && fits(b) {
			return x
		}
	}
	if d.CurrentPlayer() == seat {
		return nil
	}
	for _, b := range possible {
		if b != a && fits(b) {
			return x
		}
	}
	return nil
}
