package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

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

// checkConcurrency plays games in several goroutines that share the Game, and compares
// with the same games played sequentially. With -race it also finds races.
func checkConcurrency(c *checker) error {
	games := min(len(c.played), 64)
	const goroutines = 4
	serial := make([][]*snapshot, games)
	for i := range serial {
		serial[i] = c.snapshots(i)
	}
	failures := make([]error, goroutines)
	var wg sync.WaitGroup
	for w := range goroutines {
		wg.Go(func() {
			failures[w] = guarded(func(c *checker) error {
				for i := w % 2; i < games; i += 2 { // every game is played by two goroutines
					for n, v := range c.snapshots(i) {
						if err := serial[i][n].differs(v); err != nil {
							return fmt.Errorf(
								"game %d after %d actions, played alone and concurrently: %w",
								i, n, err)
						}
					}
				}
				return nil
			}, c)
		})
	}
	wg.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshots replays a game and returns snapshots on the way. Of a long game, about a
// hundred states are examined fully, the others by hash only.
func (c *checker) snapshots(number int) []*snapshot {
	if x, ok := c.g.(game.Symmetric); ok {
		x.Symmetries()
	}
	actions := c.played[number]
	s := c.g.NewState()
	var views []*snapshot
	for n := 0; ; n++ {
		if n%(len(actions)/100+1) == 0 {
			views = append(views, c.look(s))
		} else {
			views = append(views, &snapshot{hash: s.Hash()})
		}
		if n == len(actions) {
			return views
		}
		s.Apply(actions[n])
	}
}

// A snapshot holds everything that can be read of a state.
type snapshot struct {
	mover       game.Player
	hash        uint64
	turn        int
	legal       []game.Action
	outcomes    []game.Outcome
	observation []float32
	returns     []float32
	scores      []float32
	keys        []uint64 // InformationStateKey for each seat
}

// look takes a snapshot of s.
func (c *checker) look(s game.State) *snapshot {
	v := &snapshot{mover: s.CurrentPlayer(), hash: s.Hash()}
	switch v.mover {
	case game.Nobody:
		v.returns = make([]float32, c.g.Players())
		s.Returns(v.returns)
	case game.Chance:
		v.outcomes = s.(game.Chancer).Outcomes(nil)
	default:
		v.legal = s.LegalActions(nil)
	}
	if c.observable(v.mover) {
		v.observation = make([]float32, c.g.Planes().Size())
		s.Observation(v.observation)
	}
	if r, ok := s.(game.Scored); ok {
		v.scores = make([]float32, c.g.Players())
		r.Scores(v.scores)
	}
	if h, ok := s.(game.ImperfectInformation); ok && v.mover != game.Nobody {
		for p := range c.g.Players() {
			v.keys = append(v.keys, h.InformationStateKey(game.Player(p)))
		}
	}
	if t, ok := s.(game.Turned); ok {
		v.turn = t.Turn()
	}
	return v
}

// differs returns an error that describes the first difference of two snapshots, nil
// if they are equal.
func (v *snapshot) differs(w *snapshot) error {
	if err := v.differsInPlay(w); err != nil {
		return err
	}
	switch {
	case v.hash != w.hash:
		return fmt.Errorf("the hash is %#x in one, %#x in the other", v.hash, w.hash)
	case v.turn != w.turn:
		return fmt.Errorf("the turn is %d in one, %d in the other", v.turn, w.turn)
	case !same(v.scores, w.scores):
		return fmt.Errorf("the scores are %v in one, %v in the other", v.scores, w.scores)
	case !slices.Equal(v.keys, w.keys):
		return fmt.Errorf("the information state keys are %#x in one, %#x in the other",
			v.keys, w.keys)
	case !same(v.observation, w.observation):
		i := unequal(v.observation, w.observation)
		return fmt.Errorf("element %d of the observation is %v in one, %v in the other",
			i, v.observation[i], w.observation[i])
	}
	return nil
}

// differsInPlay compares only what the rules decide: who moves, the possible actions,
// and the result.
func (v *snapshot) differsInPlay(w *snapshot) error {
	switch {
	case v.mover != w.mover:
		return fmt.Errorf("the current player is %d in one, %d in the other", v.mover, w.mover)
	case !slices.Equal(v.legal, w.legal):
		return fmt.Errorf("the legal actions are %v in one, %v in the other", v.legal, w.legal)
	case !slices.Equal(v.outcomes, w.outcomes):
		return fmt.Errorf("the outcomes of chance are %v in one, %v in the other",
			v.outcomes, w.outcomes)
	case !same(v.returns, w.returns):
		return fmt.Errorf("the utilities are %v in one, %v in the other", v.returns, w.returns)
	}
	return nil
}

// same compares bits, so that NaN equals itself.
func same(a, b []float32) bool { return len(a) == len(b) && unequal(a, b) < 0 }

// unequal returns the first index at which a and b, of equal length, differ, or -1.
func unequal(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return i
		}
	}
	return -1
}

// guard is the number of elements after the end of a buffer that a method must not
// write.
const guard = 8

// poisoned returns a buffer of n+guard elements, all set to poison.
func poisoned(n int) []float32 {
	b := make([]float32, n+guard)
	for i := range b {
		b[i] = math.Float32frombits(poison)
	}
	return b
}

// poison is a NaN that arithmetic does not produce.
const poison = 0x7fc0beef

// written returns an error unless the first n elements are finite and the rest is
// still poisoned.
func written(b []float32, n int) error {
	for i, x := range b {
		isPoison := math.Float32bits(x) == poison
		switch {
		case i >= n && !isPoison:
			return fmt.Errorf("element %d is written, but there are only %d", i, n)
		case i < n && isPoison:
			return fmt.Errorf("element %d of %d is not written", i, n)
		case i < n && (math.IsNaN(float64(x)) || math.IsInf(float64(x), 0)):
			return fmt.Errorf("element %d of %d is %v", i, n, x)
		}
	}
	return nil
}
