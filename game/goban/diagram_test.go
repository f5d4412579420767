package goban

import (
	"strings"
	"testing"

	"tengen/game"
)

// bothLayouts are a small and a large board size, so that a diagram in the upper left
// corner is tested on both layouts.
var bothLayouts = []int{8, 9}

// fromDiagram returns a position with color to move and no history, whose upper left
// corner is given: rows separated by slashes, X O # @ and a dot.
func fromDiagram(t *testing.T, r Rules, diagram string, color int) game.State {
	t.Helper()
	s := game.Must(New(r)).NewState()
	for i, row := range strings.Split(diagram, "/") {
		for j := range row {
			c := strings.IndexByte(".XO#@", row[j]) - 1
			if c < 0 {
				continue
			}
			p := i*r.Columns + j
			switch s := s.(type) {
			case *small:
				s.stones[c] |= 1 << p
				s.key += s.stone[c][p]
				s.counts = ^uint64(0)
			case *large:
				s.add(int16(p), int8(c))
				s.key += s.stone[c][p]
			}
		}
	}
	switch s := s.(type) {
	case *small:
		s.plies, s.common.color = color, color
	case *large:
		s.plies, s.common.color = color, color
	}
	return s
}

// diagram formats the board, rows separated by slashes.
func diagram(s game.State, rows, columns int) string {
	var b strings.Builder
	for r := range rows {
		if r > 0 {
			b.WriteByte('/')
		}
		for c := range columns {
			b.WriteByte(".XO#@"[s.(interface{ at(int) int }).at(r*columns+c)+1])
		}
	}
	return b.String()
}

// play applies actions in board notation, which must be legal.
func play(t *testing.T, g game.Game, s game.State, moves string) {
	t.Helper()
	for _, word := range strings.Fields(moves) {
		if !allows(t, g, s, word) {
			t.Fatalf("%s is illegal after some of %q\n%s", word, moves, s.(game.Drawn).Draw(false))
		}
		s.Apply(action(t, g, s, word))
	}
}

func action(t *testing.T, g game.Game, s game.State, word string) game.Action {
	t.Helper()
	a, err := g.(game.Notated).ParseAction(s, word)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// allows reports whether an action in board notation is legal.
func allows(t *testing.T, g game.Game, s game.State, word string) bool {
	t.Helper()
	a := action(t, g, s, word)
	for _, b := range s.LegalActions(nil) {
		if a == b {
			return true
		}
	}
	return false
}
