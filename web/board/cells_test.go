package board

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/run/runtest"
)

// By hand: a game that has no drawer, and positions with stones on cells.
func TestCells(t *testing.T) {
	g := &runtest.Field{Rows: 2, Columns: 3, Seats: 2}
	d := For(g)
	layout := d.Layout()
	var names []string
	for i, x := range layout.Spots {
		if x.Action != game.Action(i) {
			t.Errorf("spot %d is of action %d", i, x.Action)
		}
		names = append(names, x.Name)
	}
	if d := cmp.Diff([]string{"a2", "b2", "c2", "a1", "b1", "c1"}, names); d != "" {
		t.Error(d)
	}
	words := map[string]int{}
	for _, x := range layout.Ground {
		if x.Kind == Text {
			words[x.Text]++
		}
	}
	if d := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1, "1": 1, "2": 1}, words); d != "" {
		t.Error(d)
	}
	s := g.NewState()
	for _, a := range []game.Action{1, 6, 5, 3} {
		s.Apply(a)
	}
	want := []Shape{
		{Key: "1", Kind: Disc, Tone: Black, X: 2, Y: 0.6, R: 0.4,
			Of: game.SeatName(g, 0), At: "b2"},
		{Key: "3", Kind: Disc, Tone: White, X: 1, Y: 1.6, R: 0.4,
			Of: game.SeatName(g, 1), At: "a1"},
		{Key: "5", Kind: Disc, Tone: Black, X: 3, Y: 1.6, R: 0.4,
			Of: game.SeatName(g, 0), At: "c1"},
	}
	if d := cmp.Diff(want, d.Draw(s, game.Nobody).Shapes); d != "" {
		t.Error(d)
	}
}

// Boards of all sizes and numbers of seats, with and without names of cells; nothing of a game that
// hides something.
func TestCellsOfAnyBoard(t *testing.T) {
	for _, g := range []*runtest.Field{
		{Rows: 1, Columns: 1, Seats: 1}, {Rows: 1, Columns: 40, Seats: 3},
		{Rows: 12, Columns: 5, Seats: game.MaxPlayers, Unnamed: true},
	} {
		d := For(g)
		cells := g.Rows * g.Columns
		if len(d.Layout().Spots) != cells || len(d.Layout().Seats) != g.Seats ||
			d.Layout().Width == 0 {
			t.Errorf("%+v: %+v", g, d.Layout())
		}
		for _, x := range d.Layout().Ground {
			if g.Unnamed && x.Kind == Text {
				t.Errorf("%+v: %q is written on a board whose cells have numbers", g, x.Text)
			}
		}
		tones := map[Tone]bool{}
		for _, s := range positions(t, g, 1) {
			stones := 0
			for cell, p := range s.(game.Board).Stones(nil) {
				if p == game.Nobody {
					continue
				}
				x := d.Draw(s, game.Nobody).Shapes[stones]
				if stones++; x.X != d.Layout().Spots[cell].X || x.Y != d.Layout().Spots[cell].Y ||
					x.Of != game.SeatName(g, p) {
					t.Errorf("%+v: cell %d is drawn as %+v", g, cell, x)
				}
				tones[x.Tone] = true
			}
			if n := len(d.Draw(s, game.Nobody).Shapes); n != stones {
				t.Errorf("%+v: %d of %d stones are drawn", g, n, stones)
			}
		}
		if cells >= 3*g.Seats && len(tones) != g.Seats {
			t.Errorf("%+v: %d seats have %d tones", g, g.Seats, len(tones))
		}
	}
	if d := For(&runtest.Field{
		Rows: 2, Columns: 2, Seats: 2, Secret: true,
	}); d.Layout().Width != 0 {
		t.Error("the stones of a game that hides something are drawn")
	}
}
