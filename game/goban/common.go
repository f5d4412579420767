package goban

import (
	"math"

	"tengen/game"
	"tengen/internal/random"
)

// common is the part of a state that is independent of the board layout.
type common struct {
	*goGame
	plies  int    // plies played so far
	passes int    // consecutive passes up to now
	color  int    // the colour to move, or that would be if the game weren't over
	key    uint64 // key of the stones
	past   history
}

// newCommon returns the empty board. Its key is zero and is recorded in the history.
func newCommon(g *goGame) common {
	s := common{goGame: g, past: newHistory(g.MaxPlies + 1)}
	switch {
	case g.positional:
		s.past.add(0)
	case g.situational:
		s.past.add(g.turn[0])
	}
	return s
}

// following is the colour that moves next.
func (s *common) following() int {
	if s.color+1 == s.Rules.Players {
		return 0
	}
	return s.color + 1
}

func (s *common) over() bool { return s.passes == s.Rules.Players || s.plies == s.MaxPlies }

func (s *common) CurrentPlayer() game.Player {
	if s.over() {
		return game.Nobody
	}
	return game.Player(s.color)
}

// repeats reports whether ko forbids the colour to move a placement that leads to
// stones with the given key.
func (s *common) repeats(key uint64) bool {
	switch {
	case s.positional:
		return s.past.has(key)
	case s.situational:
		return s.past.has(key + s.turn[s.following()])
	}
	for _, k := range s.past.recent[:s.Rules.Players-1] {
		if k == key {
			return true
		}
	}
	return false
}

// placed records a placement that led to stones with the given key.
func (s *common) placed(key uint64) {
	s.plies++
	s.passes = 0
	s.color = s.following()
	switch {
	case s.positional:
		s.past.add(key)
	case s.situational:
		s.past.add(key + s.turn[s.color])
	default:
		s.past.push(s.key)
	}
	s.key = key
}

// passed records a pass.
func (s *common) passed() {
	s.plies++
	s.passes++
	s.color = s.following()
	switch {
	case s.situational:
		if key := s.key + s.turn[s.color]; !s.past.has(key) {
			s.past.add(key)
		}
	case !s.positional:
		s.past.push(s.key)
	}
}

func (s *common) copyFrom(src *common) {
	s.plies, s.passes, s.color, s.key = src.plies, src.passes, src.color, src.key
	s.past.copyFrom(&src.past)
}

// Turn implements game.Turned: the number of plies played.
func (s *common) Turn() int { return s.plies }

// decisionsLeft implements game.Paced, with a number of empty points: they are filled in turn,
// and captures and passes make a game longer.
func (s *common) decisionsLeft(empty int) (expected, most float64) {
	const more = 5
	players := float64(s.Rules.Players)
	most = math.Ceil(float64(s.MaxPlies-s.plies) / players)
	return min(float64(empty)/players+more, most), most
}

// Hash depends on the stones, on the number of plies (which determines the player to
// move and the plies left until max_plies), on the number of consecutive passes, and
// on what ko may forbid: the set of past positions in any order, or with simple ko the
// last few in order.
func (s *common) Hash() uint64 {
	h := random.Step(s.key) + s.past.sum
	if !s.positional && !s.situational {
		for _, key := range s.past.recent[:s.Rules.Players-1] {
			h = random.Mix(h ^ key)
		}
	}
	return random.Mix(h ^ uint64(s.plies)<<8 ^ uint64(s.passes))
}
