package goban

import (
	"fmt"
	"math/bits"

	"tengen/game"
)

// RulesOf returns the complete rules of a game of this package, from which New makes
// an equal game; ok is false for other games.
func RulesOf(g game.Game) (Rules, bool) {
	own, ok := g.(interface{ rules() Rules })
	if !ok {
		return Rules{}, false
	}
	return own.rules(), true
}

func (g *goGame) rules() Rules {
	r := g.Rules
	r.Komi = append([]float64(nil), r.Komi...)
	return r
}

// position is implemented by the states of both layouts.
type position interface {
	game.State
	at(p int) int
	base() *common
}

func (s *common) base() *common { return s }

// Stones appends the colour of the stone on each point, row by row from the top, or
// game.Nobody for an empty point. The state must be of this package.
func Stones(s game.State, dst []game.Player) []game.Player {
	own := s.(position)
	for p := range own.base().points {
		dst = append(dst, game.Player(own.at(p)))
	}
	return dst
}

// SetUp returns a state of a game of this package with the given stones, one element
// of Stones' list per point, and the given colour to move. It has no history: ko
// forbids only to recreate this position, nobody has passed, and the number of plies
// played is the least with which this colour moves next.
//
// It returns an error if a group has no liberty or the colour can't be to move.
func SetUp(g game.Game, stones []game.Player, mover game.Player) (game.State, error) {
	own, ok := g.(interface{ rules() Rules })
	if !ok {
		return nil, fmt.Errorf("set up: %s is no game of Go", g.Name())
	}
	r := own.rules()
	if len(stones) != r.Rows*r.Columns {
		return nil, fmt.Errorf("set up %s: %d points are given, and the board has %d",
			g.Name(), len(stones), r.Rows*r.Columns)
	}
	if mover < 0 || int(mover) >= r.Players {
		return nil, fmt.Errorf("set up %s: colour %d is to move, and there are %d",
			g.Name(), mover+1, r.Players)
	}
	if int(mover) >= r.MaxPlies {
		return nil, fmt.Errorf("set up %s: %s never moves in games of %d plies",
			g.Name(), colors[mover].name, r.MaxPlies)
	}
	s := g.NewState().(position)
	for p, c := range stones {
		if c != game.Nobody && (c < 0 || int(c) >= r.Players) {
			return nil, fmt.Errorf("set up %s: colour %d stands on %s, and there are %d",
				g.Name(), c+1, s.base().ActionName(s, game.Action(p)), r.Players)
		}
	}
	if p := withoutLiberty(&s.base().geometry, stones); p >= 0 {
		return nil, fmt.Errorf("set up %s: the group of %s has no liberty",
			g.Name(), s.base().ActionName(s, game.Action(p)))
	}
	switch s := s.(type) {
	case *small:
		s.setUp(stones)
	case *large:
		s.setUp(stones)
	}
	s.base().begin(stones, int(mover))
	return s, nil
}

// withoutLiberty returns a stone of a group without liberties, or -1 if there is none.
func withoutLiberty(g *geometry, stones []game.Player) int {
	seen := make([]bool, len(stones))
	for p, c := range stones {
		if c == game.Nobody || seen[p] {
			continue
		}
		seen[p] = true
		group, alive := []int{p}, false
		for i := 0; i < len(group); i++ {
			for _, n := range g.orthogonal[group[i]] {
				q := int(n)
				switch {
				case n == offBoard:
				case stones[q] == game.Nobody:
					alive = true
				case stones[q] == c && !seen[q]:
					seen[q] = true
					group = append(group, q)
				}
			}
		}
		if !alive {
			return p
		}
	}
	return -1
}

func (s *small) setUp(stones []game.Player) {
	for p, c := range stones {
		if c != game.Nobody {
			s.stones[c] |= 1 << p
		}
	}
	if n := bits.OnesCount64(s.occupied()); n > 0 {
		s.counts |= 1 << n
	}
}

func (s *large) setUp(stones []game.Player) {
	for p, c := range stones {
		if c != game.Nobody {
			s.add(int16(p), int8(c))
		}
	}
}

// begin makes the stones the initial position.
func (s *common) begin(stones []game.Player, mover int) {
	s.plies, s.color = mover, mover
	for p, c := range stones {
		if c != game.Nobody {
			s.key += s.stone[c][p]
		}
	}
	s.past = newHistory(s.MaxPlies + 1)
	switch {
	case s.positional:
		s.past.add(s.key)
	case s.situational:
		s.past.add(s.key + s.turn[mover])
	}
}

// HandTo makes mover the colour to move, for programs that place two stones of one
// colour in a row: the colours before it pass. These passes take plies but do not
// count towards the end of the game, nor do earlier passes, so a game that ended by
// passes continues. The state, which must be of this package, is changed in place.
// HandTo returns an error and leaves the state unchanged if no ply is left.
func HandTo(s game.State, mover game.Player) error {
	c := s.(position).base()
	if mover < 0 || int(mover) >= c.Rules.Players {
		return fmt.Errorf("colour %d can't be to move in %s, which has %d",
			mover+1, c.name, c.Rules.Players)
	}
	steps := (int(mover) - c.color + c.Rules.Players) % c.Rules.Players
	if c.plies+steps >= c.MaxPlies {
		return fmt.Errorf("the game is over: %s ends after %d plies", c.name, c.MaxPlies)
	}
	for range steps {
		c.passed()
	}
	c.passes = 0
	return nil
}

// Stones implements game.Board.
func (s *small) Stones(dst []game.Player) []game.Player { return Stones(s, dst) }

// Stones implements game.Board.
func (s *large) Stones(dst []game.Player) []game.Player { return Stones(s, dst) }

// Mark implements game.Board.
func (s *common) Mark(c game.Player) string { return Mark(c) }

// Mark returns how Draw writes a point in plain text: the stone of a colour, or a dot
// for game.Nobody.
func Mark(c game.Player) string { return mark(int(c), false) }
