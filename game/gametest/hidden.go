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
