package connectfour

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"connect-four",
		"connect-four:players=3",
		"connect-four:rows=1,columns=1,in_row=1",
		"connect-four:rows=4,columns=5",
		"connect-four:rows=7,columns=8",
		"connect-four:rows=15,columns=4,in_row=5,players=3",
		"connect-four:rows=3,columns=16,in_row=3",
	} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

// boards are rows, columns, stones in a row and players; some fill a word.
var boards = [][4]int{
	{1, 1, 1, 2}, {1, 7, 3, 2}, {7, 1, 2, 3}, {4, 4, 3, 2}, {4, 4, 4, 3}, {4, 4, 1, 2},
	{3, 5, 2, 2},
	{6, 7, 4, 2}, {6, 7, 4, 3}, {6, 7, 5, 2}, {7, 8, 4, 2}, {7, 8, 6, 3}, {15, 4, 7, 2},
	{15, 4, 15, 2}, {3, 16, 3, 3}, {3, 16, 16, 2},
}

// naive returns the simplest rules on a board.
func naive(b [4]int) *gametest.Rows {
	return &gametest.Rows{Rows: b[0], Columns: b[1], InRow: b[2], Seats: b[3], Drops: true}
}

func TestAgreesWithNaiveRules(t *testing.T) {
	for _, b := range boards {
		gametest.AgreesWithRows(t, newGame(b[0], b[1], b[2], b[3]), naive(b), 20)
	}
}

// goldens lists the boards that have playthroughs in testdata.
var goldens = map[string][4]int{
	"connect_four.txt":  {6, 7, 4, 2},
	"three_players.txt": {7, 8, 4, 3},
	"high.txt":          {15, 4, 5, 2},
}

func TestGolden(t *testing.T) {
	for file, b := range goldens {
		gametest.GoldenRows(t, newGame(b[0], b[1], b[2], b[3]), naive(b), file)
	}
}

func TestNames(t *testing.T) {
	gametest.Names(t, []gametest.Name{
		{Text: "connect-four", Name: "connect-four:rows=6,columns=7,in_row=4,players=2"},
		{Text: "connect-four:players=3,rows=7,columns=8",
			Name: "connect-four:rows=7,columns=8,in_row=4,players=3"},
		{Text: "connect-four:rows=8,columns=8", Fails: "columns=8: at most 7 fit with 8 rows"},
		{Text: "connect-four:rows=3,columns=3", Fails: "in_row=4: at most 3 fit"},
		{Text: "connect-four:rows=16", Fails: "rows=16: a whole number from 1 to 15"},
		{Text: "connect-four:players=4", Fails: "players=4: a whole number from 2 to 3"},
		{Text: "connect-four:inrow=4", Fails: `did you mean "in_row"`},
		{Text: "connectfour", Fails: `did you mean "connect-four"`},
	})
}

func TestNotation(t *testing.T) {
	g := newGame(6, 7, 4, 2)
	for _, c := range []struct {
		text string
		want game.Action
	}{{"a", 0}, {"d", 3}, {"G", 6}, {" 1 ", 0}, {"7", 6}} {
		if a, err := g.ParseAction(nil, c.text); err != nil || a != c.want {
			t.Errorf("%q is read as %d, %v; want %d", c.text, a, err, c.want)
		}
	}
	for _, text := range []string{"h", "0", "8", "d1", "44", "é"} {
		if a, err := g.ParseAction(nil, text); err == nil ||
			!strings.Contains(err.Error(), "a letter a to g or a number 1 to 7") {
			t.Errorf("%q is read as %d, %v; want an error that names the columns", text, a, err)
		}
	}
}

func TestDraw(t *testing.T) {
	s := newGame(3, 4, 3, 3).NewState().(*State)
	for _, a := range []game.Action{0, 0, 3} {
		s.Apply(a)
	}
	if got, want := s.Draw(false), " . . . .\n O . . .\n X . . #\n a b c d\n"; got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
	if got, want := s.Draw(true),
		" . . . .\n \x1b[34mO\x1b[0m . . .\n \x1b[31mX\x1b[0m . . \x1b[32m#\x1b[0m\n a b c d\n"; got != want {
		t.Errorf("drawn in colour is %q; want %q", got, want)
	}
}

func TestAuxiliaryTargets(t *testing.T) { gametest.TargetsAreTheStones(t, newGame(7, 8, 4, 3)) }

// A playout draws uniformly among the columns that are not full. Where one stone wins, it is one
// stone.
func TestPlayoutIsUniform(t *testing.T) {
	g := newGame(1, 5, 1, 2)
	counts := make([]int, g.Columns)
	const games = 20_000
	rng := random.New(1, random.Test, 32)
	for range games {
		s := g.NewState().(*State)
		s.all = 1 << 4 // column 2 is full
		s.Playout(rng)
		for c := range g.Columns {
			if s.at(c) == 0 {
				counts[c]++
			}
		}
	}
	for c, n := range counts {
		switch {
		case c == 2 && n != 0:
			t.Errorf("the full column was drawn %d times", n)
		case c != 2 && (n < games/4-400 || n > games/4+400):
			t.Errorf("column %d was drawn %d times of %d", c, n, games)
		}
	}
}

func BenchmarkPlayout(b *testing.B) {
	for _, name := range []string{"connect-four", "connect-four:rows=7,columns=8,players=3"} {
		b.Run(name, func(b *testing.B) {
			g := game.Must(game.New(name))
			rng := random.New(1, random.Test)
			initial, s := g.NewState(), g.NewState().(*State)
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				s.CopyFrom(initial)
				s.Playout(rng)
				plies += s.Turn()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
		})
	}
}
