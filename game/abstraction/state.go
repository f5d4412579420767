package abstraction

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// state is a position of the derived game: one of the original with some actions left
// out.
type state struct {
	x     *Abstraction
	state game.State // of the original
	full  int        // number of turns in which all actions are legal, the current one included
	turn  int        // the original's turn number, if it counts turns
	owner game.Player

	// Scratch space of LegalActions.
	legal []game.Action
	of    []int     // [legal]: class
	keep  []bool    // [legal]: whether the action is a representative
	rows  []float32 // [legal, features]
	mean  []float32 // [features]
}

// inner is implemented by every state of a derived game.
type inner interface{ inner() *state }

func (s *state) inner() *state { return s }

// begin makes the position the one from which turns are counted.
func (s *state) begin() {
	s.full = s.x.full
	s.owner = game.Nobody
	if m := s.state.CurrentPlayer(); m >= 0 {
		s.owner = m
	}
	if t, ok := s.state.(game.Turned); ok {
		s.turn = t.Turn()
	}
}

// CurrentPlayer is the original's.
func (s *state) CurrentPlayer() game.Player { return s.state.CurrentPlayer() }

// Apply plays an action, or takes an outcome of chance.
func (s *state) Apply(a game.Action) {
	s.state.Apply(a)
	if s.full == 0 {
		return
	}
	if t, ok := s.state.(game.Turned); ok {
		turn := t.Turn()
		s.full = max(0, s.full-(turn-s.turn))
		s.turn = turn
		return
	}
	if m := s.state.CurrentPlayer(); m >= 0 && m != s.owner {
		if s.owner != game.Nobody {
			s.full--
		}
		s.owner = m
	}
}

// LegalActions appends the representatives of the classes of the legal actions, or all
// of them in the first turns.
func (s *state) LegalActions(dst []game.Action) []game.Action {
	if s.full > 0 {
		return s.state.LegalActions(dst)
	}
	s.legal = s.state.LegalActions(s.legal[:0])
	actions := s.legal
	if len(actions) == 1 {
		return append(dst, actions[0])
	}
	c := s.x.classes
	n := len(c.Scale)
	for i, a := range actions {
		row := s.rows[i*n : (i+1)*n]
		s.x.features.Describe(row, s.state, a)
		c.scale(row)
		s.of[i] = c.of(row, s.mean)
	}
	of := s.of[:len(actions)]
	for i := range of {
		s.keep[i] = false
	}
	for i, class := range of {
		if !slices.Contains(of[:i], class) {
			s.keep[s.medoid(of, class)] = true
		}
	}
	for i, a := range actions {
		if s.keep[i] {
			dst = append(dst, a)
		}
	}
	return dst
}

// medoid returns the index of the action that represents a class, where of holds the
// actions' classes: the one with the smallest sum of squared distances to the others
// of the class, which is the one nearest to their mean.
func (s *state) medoid(of []int, class int) (index int) {
	clear(s.mean)
	d := len(s.mean)
	members := 0
	for i, k := range of {
		if k != class {
			continue
		}
		members++
		index = i
		for j, x := range s.rows[i*d : (i+1)*d] {
			s.mean[j] += x
		}
	}
	if members == 1 {
		return index
	}
	for j := range s.mean {
		s.mean[j] /= float32(members)
	}
	least := float32(math.Inf(1))
	for i, k := range of {
		if k != class {
			continue
		}
		if distance := squared32(s.rows[i*d:(i+1)*d], s.mean); distance < least {
			index, least = i, distance
		}
	}
	return index
}

// CopyFrom copies a state of the same game.
func (s *state) CopyFrom(src game.State) {
	t := src.(inner).inner()
	s.state.CopyFrom(t.state)
	s.full, s.turn, s.owner = t.full, t.turn, t.owner
}

// Returns, Observation, Outcomes, Sample and Playout are the original's.
func (s *state) Returns(dst []float32)     { s.state.Returns(dst) }
func (s *state) Observation(dst []float32) { s.state.Observation(dst) }

func (s *state) Outcomes(dst []game.Outcome) []game.Outcome {
	return s.state.(game.Chancer).Outcomes(dst)
}
func (s *state) Sample(rng *rand.Rand) game.Action { return s.state.(game.Chancer).Sample(rng) }
func (s *state) Playout(rng *rand.Rand)            { s.legal = game.Playout(s.state, rng, s.legal) }

// Hash is the original's while representatives are in use; before, it also depends on
// the remaining number of full turns.
func (s *state) Hash() uint64 {
	if s.full == 0 {
		return s.state.Hash()
	}
	h := uint64(s.full)
	if _, ok := s.state.(game.Turned); !ok {
		h = h<<8 | uint64(uint8(s.owner))
	}
	return s.state.Hash() ^ random.Mix(h)
}

// Variants of state with optional abilities.
type (
	turnedState       struct{ state }
	hiddenState       struct{ state }
	hiddenTurnedState struct{ turnedState }
)

// Turn is the original's.
func (s *turnedState) Turn() int { return s.state.state.(game.Turned).Turn() }

// Determinize redraws what seat can't see.
func (s *hiddenState) Determinize(rng *rand.Rand, seat game.Player) {
	s.state.state.(game.ImperfectInformation).Determinize(rng, seat)
}

// InformationStateKey is the original's.
func (s *hiddenState) InformationStateKey(seat game.Player) uint64 {
	return infoKey(&s.state, seat)
}

// Determinize redraws what seat can't see.
func (s *hiddenTurnedState) Determinize(rng *rand.Rand, seat game.Player) {
	s.state.state.(game.ImperfectInformation).Determinize(rng, seat)
}

// InformationStateKey is the original's.
func (s *hiddenTurnedState) InformationStateKey(seat game.Player) uint64 {
	return infoKey(&s.state, seat)
}

func infoKey(s *state, seat game.Player) uint64 {
	return s.state.(game.ImperfectInformation).InformationStateKey(seat) ^ uint64(s.full)
}
