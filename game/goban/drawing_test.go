package goban

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Whatever play draws is read back: stones, colours and turn.
func TestDrawingsComeBack(t *testing.T) {
	for i, name := range []string{
		"go:size=5,players=3", "go:rows=1,columns=2,players=2,pass=free",
		"go:rows=12,columns=19,players=4,komi=[0,-0.5,1,2]",
	} {
		g := game.Must(game.New(name))
		rng := random.New(uint64(i), random.Test)
		s := g.NewState()
		for range 60 {
			d, err := readDrawing(s.(game.Drawn).Draw(false))
			if s.CurrentPlayer() == game.Nobody {
				if err == nil || !strings.Contains(err.Error(), "the game is over") {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			shape := g.Planes()
			if d.rows != shape.H || d.columns != shape.W || d.players != g.Players() ||
				d.mover != s.CurrentPlayer() || !slices.Equal(d.stones, Stones(s, nil)) {
				t.Fatalf("%s is read as %+v", s.(game.Drawn).Draw(false), d)
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

func TestDrawingsByHand(t *testing.T) {
	for text, want := range map[string]string{
		"X.\n.O\nto move: Black":                           "2x2 of 2, 0 moves: 0 -1 -1 1",
		" TO MOVE: red \r\n 2 + + 2\r\n 1 + X 1":           "2x2 of 3, 2 moves: -1 -1 -1 0",
		"   A B\n1 @ .\n   A B\nwhite to move":             "1x2 of 4, 1 moves: 3 -1",
		"O O\n\n\nX Black 0  O White 2.5  (Black to move)": "1x2 of 2, 0 moves: 1 1",
	} {
		d, err := readDrawing(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := describeDrawing(d); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"to move: Black":                 "no board is in it",
		"X .":                            "it does not say whose turn it is",
		"X .\n. . .\nto move: Black":     "line 2: a row of 3 points, after rows of 2",
		"X .\nto move: Green":            `line 2: no colour is called "Green"`,
		"X .\nhello\nto move: Black":     `line 2: "hello" is no row of a board`,
		"X .\n5 X o . 5":                 `line 2: "5 X o . 5" is no row of a board`,
		"X .\nO Black 3 (Black to move)": "line 2: Black is no colour's stone O",
	} {
		if d, err := readDrawing(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %+v", text, err, d)
		}
	}
}

// A game reads drawings of its own board alone, with its colours or fewer.
func TestParseDrawing(t *testing.T) {
	g := game.Must(game.New("go:rows=2,columns=3,players=3"))
	for text, good := range map[string]bool{
		"X . O\n. # .\nto move: Red":          true,
		"X . O\n. . .\nto move: White":        true,
		"X . O\n. @ .\nto move: Red":          false, // four colours
		"X .\n. O\nto move: Black":            false,
		"X . O .\n. . . .\nto move: Black":    false,
		"X . O\n. # .\n. . .\nto move: Black": false,
		"X .\n. O\n. .\nto move: Black":       false,
	} {
		s, err := g.(game.DrawingParser).ParseDrawing(text)
		if (err == nil) != good {
			t.Errorf("%q is read as %v, %v", text, s, err)
		}
		if err == nil && Stones(s, nil)[0] != 0 {
			t.Errorf("%q has no black stone in the corner", text)
		}
	}
}

func describeDrawing(d *drawing) string {
	var b strings.Builder
	for _, n := range []struct {
		n     int
		after string
	}{{d.rows, "x"}, {d.columns, " of "}, {d.players, ", "}, {int(d.mover), " moves:"}} {
		b.WriteString(strconv.Itoa(n.n) + n.after)
	}
	for _, c := range d.stones {
		b.WriteString(" " + strconv.Itoa(int(c)))
	}
	return b.String()
}

func FuzzReadDrawing(f *testing.F) {
	f.Add(game.Must(game.New("go:size=3,players=3")).NewState().(game.Drawn).Draw(false))
	f.Add("X.\n.O\nto move: Black")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readDrawing(text)
		if err == nil &&
			(len(d.stones) != d.rows*d.columns || d.mover < 0 || int(d.mover) >= d.players ||
				d.players > 4) {
			t.Errorf("%q: %+v", text, d)
		}
	})
}

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
