package mnk

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"tictactoe",
		"tictactoe:players=3",
		"mnk:rows=1,columns=1,in_row=1",
		"mnk:rows=1,columns=6,in_row=2,players=3",
		"mnk:rows=8,columns=8,in_row=5",
		"mnk:rows=5,columns=13,in_row=4,players=3",
		"mnk:rows=19,columns=19,in_row=5",
	} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

// Boards with fewer than, exactly and more than 64 cells, one word, up to the largest.
var boards = [][4]int{ // rows, columns, in a row, players
	{1, 1, 1, 2}, {1, 7, 3, 2}, {7, 1, 2, 3}, {3, 3, 3, 2}, {3, 3, 3, 3}, {3, 5, 3, 2},
	{6, 4, 4, 3}, {4, 4, 1, 2},
	{8, 8, 4, 2}, {5, 13, 5, 3}, {9, 9, 5, 2}, {11, 12, 6, 3}, {19, 7, 5, 2}, {19, 19, 5, 2},
	{19, 19, 19, 3},
}

// naive returns the simplest rules on a board.
func naive(b [4]int) *gametest.Rows {
	return &gametest.Rows{Rows: b[0], Columns: b[1], InRow: b[2], Seats: b[3], MoverAtEnd: true}
}

func TestAgreesWithNaiveRules(t *testing.T) {
	for _, b := range boards {
		g := newGame(b[0], b[1], b[2], b[3])
		gametest.AgreesWithRows(t, g, naive(b), max(2, 20_000/(g.Cells*g.Cells*b[2])))
	}
}

// goldens lists the boards that have playthroughs in testdata.
var goldens = map[string][4]int{
	"tictactoe.txt":       {3, 3, 3, 2},
	"three_players.txt":   {3, 3, 3, 3},
	"gomoku_7_by_6.txt":   {6, 7, 4, 2},
	"more_than_64.txt":    {9, 8, 4, 3},
	"one_row_of_nine.txt": {1, 9, 3, 2},
}

func TestGolden(t *testing.T) {
	for file, b := range goldens {
		gametest.GoldenRows(t, newGame(b[0], b[1], b[2], b[3]), naive(b), file)
	}
}

func TestNames(t *testing.T) {
	gametest.Names(t, []gametest.Name{
		{Text: "mnk", Name: "mnk:rows=3,columns=3,in_row=3,players=2"},
		{Text: "tictactoe", Name: "mnk:rows=3,columns=3,in_row=3,players=2"},
		{Text: "tictactoe:players=3", Name: "mnk:rows=3,columns=3,in_row=3,players=3"},
		{Text: "mnk:columns=7,in_row=4", Name: "mnk:rows=3,columns=7,in_row=4,players=2"},
		{Text: "mnk:in_row=4", Fails: "in_row=4: at most 3 fit"},
		{Text: "mnk:rows=20", Fails: "rows=20: a whole number from 1 to 19"},
		{Text: "mnk:players=4", Fails: "players=4: a whole number from 2 to 3"},
		{Text: "mnk:inrow=4", Fails: `did you mean "in_row"`},
		{Text: "mnk:3", Fails: `"3" is not key=value`},
		{Text: "tictactoe:rows=4", Fails: `no key "rows"`},
	})
}

func TestSymmetries(t *testing.T) {
	for _, c := range []struct {
		rows, columns, want int
	}{{1, 1, 1}, {1, 5, 2}, {5, 1, 2}, {2, 2, 8}, {3, 3, 8}, {3, 4, 4}} {
		g := newGame(c.rows, c.columns, 1, 2)
		if n := len(g.Symmetries()); n != c.want {
			t.Errorf("a board of %d×%d has %d symmetries; want %d", c.rows, c.columns, n, c.want)
		}
	}
}

func TestNotation(t *testing.T) {
	g := newGame(3, 4, 3, 2)
	for _, c := range []struct {
		text string
		want game.Action
	}{{"a3", 0}, {"d3", 3}, {"a1", 8}, {"C2", 6}, {" d1 ", 11}} {
		if a, err := g.ParseAction(nil, c.text); err != nil || a != c.want {
			t.Errorf("%q is read as %d, %v; want %d", c.text, a, err, c.want)
		}
	}
	for _, text := range []string{"e1", "a4", "a0", "a01", "a+1", "1a", "a", "b2x", "é1"} {
		if a, err := g.ParseAction(nil, text); err == nil ||
			!strings.Contains(err.Error(), "a column a to d and a row 1 to 3") {
			t.Errorf("%q is read as %d, %v; want an error that names columns and rows",
				text, a, err)
		}
	}
}

func TestDraw(t *testing.T) {
	s := newGame(3, 4, 3, 3).NewState().(*State)
	for _, a := range []game.Action{0, 5, 11} {
		s.Apply(a)
	}
	if got, want := s.Draw(false), " 3 X . . .\n 2 . O . .\n 1 . . . #\n   a b c d\n"; got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
	if got, want := s.Draw(true), " 3 \x1b[31mX\x1b[0m . . .\n 2 . \x1b[34mO\x1b[0m . .\n 1 . . . \x1b[32m#\x1b[0m\n   a b c d\n"; got != want {
		t.Errorf("drawn in colour is %q; want %q", got, want)
	}
}

func TestAuxiliaryTargets(t *testing.T) { gametest.TargetsAreTheStones(t, newGame(9, 10, 4, 3)) }

func BenchmarkPlayout(b *testing.B) {
	for _, name := range []string{"tictactoe", "mnk:rows=15,columns=15,in_row=5"} {
		b.Run(name, func(b *testing.B) {
			g := game.Must(game.New(name))
			rng := random.New(1, random.Test)
			initial, s := g.NewState(), g.NewState()
			b.ReportAllocs()
			for b.Loop() {
				s.CopyFrom(initial)
				s.(*State).Playout(rng)
			}
		})
	}
}
