package gametest

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

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
