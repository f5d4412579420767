package interactive

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
			x := New(g, []Seat{{Name: "human"}, {Name: "human"}}, 1, out, out == &colored)
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
