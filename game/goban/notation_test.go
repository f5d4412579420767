package goban

import (
	"strings"
	"testing"

	"tengen/game"
)

func TestNotation(t *testing.T) {
	for _, c := range []struct {
		game, text string
		want       game.Action
	}{
		{"go:size=5", "a1", 20},
		{"go:size=5", "a5", 0},
		{"go:size=5", "e1", 24},
		{"go:size=5", " C3 ", 12},
		{"go:size=5", "pass", 25},
		{"go:size=5,pass=free", "PASS", 25},
		{"go:size=9", "h9", 7},
		{"go:size=9", "j9", 8},
		{"go:size=19", "t1", 360},
		{"go:rows=2,columns=3,players=2", "c2", 2},
	} {
		g := game.Must(game.New(c.game)).(game.Notated)
		a, err := g.ParseAction(nil, c.text)
		if err != nil || a != c.want {
			t.Errorf("%s: %q is %d, %v; want %d", c.game, c.text, a, err, c.want)
		}
		if name := g.ActionName(nil, a); name != strings.ToLower(strings.TrimSpace(c.text)) {
			t.Errorf("%s: %d is called %q, want %q", c.game, a, name, c.text)
		}
	}
	for game5, texts := range map[string][]string{
		"go:size=5": {"", "c", "3", "c0", "c6", "f1", "c-1", "c+1", "c3x", "33", "cc",
			"i1", "pas"},
		"go:size=9":  {"i9", "k1"},
		"go:size=1":  {"b1", "a2"},
		"go:size=19": {"a20", "u1", "i5"},

		"go:size=7,players=2,pass=free": {"h1", "pas"},
	} {
		g := game.Must(game.New(game5)).(game.Notated)
		for _, text := range texts {
			a, err := g.ParseAction(nil, text)
			if err == nil {
				t.Errorf("%s: %q is read as %d", game5, text, a)
			} else if free := strings.HasSuffix(game5, "pass=free"); !strings.Contains(err.Error(),
				"write a letter and a number") ||
				strings.HasSuffix(err.Error(), ", or pass") != free {
				t.Errorf("%s: %q: the error %q does not say what may be written", game5, text, err)
			}
		}
	}
	for name, want := range map[string]string{
		"go:size=9":                     "e5 (columns a to j without i, rows 1 to 9)",
		"go:size=8":                     "a4 (columns a to h, rows 1 to 8)",
		"go:rows=1,columns=2":           "b1 (columns a to b, row 1)",
		"go:rows=3,columns=1":           "a2 (column a, rows 1 to 3)",
		"go:rows=2,columns=1,pass=free": "a1 (column a, rows 1 to 2), or pass",
		"go:rows=1,columns=9,players=2": "e1 (columns a to j without i, row 1)",
	} {
		_, err := game.Must(game.New(name)).(game.Notated).ParseAction(nil, "i9")
		want = `"i9" is not a point of this board: write a letter and a number, such as ` + want
		if err == nil || err.Error() != want {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
}

// The guide tells the rules of the game at hand.
func TestGuide(t *testing.T) {
	for _, c := range []struct{ name, part string }{
		{"go:size=5,pass=free", "A pass is always possible."},
		{"go:size=5,pass=forced", "A colour passes where every legal stone would fill"},
		{"go:size=5,ko=simple", "since the colour's own last turn"},
		{"go:size=5,ko=situational", "comes again with the same colour to move"},
		{"go:size=5,ko=positional", "an earlier position comes again.\n"},
		{"go:size=5,reward=win", "The most points win."},
		{"go:size=5,reward=score", "The score counts"},
		{"go:size=5,players=2,komi=[0,0.5]", "and its komi"},
		{"go:size=5,players=3", "Black, White and Red place stones in turn; a point is written a1"},
	} {
		text := game.Must(game.New(c.name)).(game.Guided).Guide()
		if !strings.Contains(text, c.part) {
			t.Errorf("the guide of %s is\n%swithout %q", c.name, text, c.part)
		}
		if strings.Contains(text, "A pass is always possible") !=
			strings.Contains(c.name, "pass=free") {
			t.Errorf("the guide of %s tells of other passes:\n%s", c.name, text)
		}
		if strings.Contains(text, "komi") != strings.Contains(c.name, "komi") {
			t.Errorf("the guide of %s tells of another komi:\n%s", c.name, text)
		}
	}
}

func TestDraw(t *testing.T) {
	const want = `    a b c
 2  X . O 2
 1  . # . 1
    a b c
X Black 1  O White 1.5  # Red 1  (Black to move)
`
	g := game.Must(game.New("go:rows=2,columns=3,players=3,komi=[0,0.5,0],max_plies=4"))
	s := g.NewState()
	play(t, g, s, "a2 c2 b1")
	if got := s.(game.Drawn).Draw(false); got != want {
		t.Errorf("the board is drawn as\n%swant\n%s", got, want)
	}
	play(t, g, s, "b2")
	if got := s.(game.Drawn).Draw(false); !strings.HasSuffix(got, "(the game is over)\n") {
		t.Errorf("the finished board is drawn as\n%s", got)
	}
	if got := s.(game.Drawn).Draw(true); strings.Count(got, "●") != 4+3 ||
		!strings.Contains(got, "\x1b[0m") {
		t.Errorf("the board in colours is drawn as\n%s", got)
	}
	large := game.Must(game.New("go:size=10,players=2")).NewState()
	large.Apply(99)
	if got := large.(game.Drawn).Draw(false); !strings.Contains(got, "10  . . .") ||
		!strings.Contains(got, " 1  . . . . . . . . . X 1\n    a b c d e f g h j k\n") {
		t.Errorf("the larger board is drawn as\n%s", got)
	}
}
