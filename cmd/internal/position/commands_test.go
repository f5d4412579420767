package position

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tengen/game"
)

// TestMarked: the last move stands in brackets, on boards with and without colours; captures and
// passes mark nothing else.
func TestMarked(t *testing.T) {
	for _, c := range []struct{ game, moves, want string }{
		{"tictactoe", "b2", " 2 .(X)."},
		{"tictactoe", "a3 c1", " 1 . .(O)"},
		{"connect-four", "d d", " . . .(O). . ."},
		{"go:size=3,players=2,pass=free", "a1 b1 c3 a2", " 2 (O). . 2"}, // takes a1
		{"go:size=3,players=2,pass=free", "b2 pass", ""},
	} {
		g := game.Must(game.New(c.game))
		var plain, colored strings.Builder
		for _, out := range []*strings.Builder{&plain, &colored} {
			x := NewGame(g, []Seat{{Name: "human"}, {Name: "human"}}, 1, out, out == &colored)
			for _, word := range strings.Fields(c.moves) {
				a, err := x.parse(word)
				if err != nil {
					t.Fatal(err)
				}
				out.Reset()
				if err := x.apply(move{action: a, person: true}); err != nil {
					t.Fatal(err)
				}
				x.show()
				x.shown = false
			}
		}
		if n := strings.Count(plain.String(), "(X)") + strings.Count(plain.String(),
			"(O)"); c.want == "" && n > 0 ||
			c.want != "" && (n != 1 || !strings.Contains(plain.String(), c.want)) {
			t.Errorf("%s, %s: no %q in\n%s", c.game, c.moves, c.want, plain.String())
		}
		if n := strings.Count(ansi.Strip(colored.String()),
			"(●)") + strings.Count(ansi.Strip(colored.String()),
			"(X)") + strings.Count(ansi.Strip(colored.String()), "(O)"); n != min(1, len(c.want)) {
			t.Errorf("%s, %s: %d marks in\n%s", c.game, c.moves, n, colored.String())
		}
	}
}

func TestFolded(t *testing.T) {
	words := strings.Repeat("draw:red- \x1b[31mdraw:any+\x1b[0m ", 12)
	got := folded("short\n" + words + "end\n a . b\n")
	lines := strings.Split(got, "\n")
	if lines[0] != "short" || lines[len(lines)-1] != "" || lines[len(lines)-2] != " a . b" ||
		len(lines) < 6 {
		t.Errorf("%q", lines)
	}
	for i, line := range lines[1 : len(lines)-2] {
		if n := ansi.StringWidth(line); n > lineWidth || n < lineWidth-12 && i < len(lines)-4 ||
			strings.HasPrefix(line, "  ") != (i > 0) {
			t.Errorf("line %d has %d columns: %q", i, n, line)
		}
	}
	if plain := strings.Join(strings.Fields(got), " "); plain != "short "+words+"end a . b" {
		t.Errorf("%q", plain)
	}
	if long := strings.Repeat("x", 100); folded(long) != long {
		t.Errorf("a long word becomes %q", folded(long))
	}
}
