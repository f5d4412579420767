package arena_test

import (
	"bytes"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
)

// TestRecordWrite: what Write writes is read again, with the names of the actions; a game that has
// not begun too.
func TestRecordWrite(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, actions := range [][]game.Action{nil, {4, 0, 8}} {
		want := arena.Record{
			Number: 7, Game: g.Name(), Players: []string{"Ann", "uct"}, Actions: actions,
		}
		var b bytes.Buffer
		if err := want.Write(&b, g); err != nil {
			t.Fatal(err)
		}
		list, damaged, err := arena.ReadRecords(b.Bytes())
		if err != nil || len(list) != 1 || len(damaged) > 0 {
			t.Fatalf("%d records, %v, %v in %s", len(list), damaged, err, b.Bytes())
		}
		r := list[0]
		if r.Number != 7 || r.Game != g.Name() || !slices.Equal(r.Players, want.Players) ||
			!slices.Equal(r.Actions, actions) || len(r.Moves) != len(actions) {
			t.Errorf("%+v, want %+v", r, want)
		}
		s := g.NewState()
		for i, a := range actions {
			if name := game.ActionName(g, s, a); r.Moves[i] != name {
				t.Errorf("action %d is called %q, want %q", i, r.Moves[i], name)
			}
			s.Apply(a)
		}
		if !bytes.Contains(b.Bytes(), []byte(`"version":1`)) {
			t.Errorf("no version in %s", b.Bytes())
		}
	}
}
