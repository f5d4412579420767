package findings

import (
	"slices"
	"testing"

	"tengen/game"
)

// What limits forbid, in the actions from the position on.
func TestLimited(t *testing.T) {
	g := game.Must(game.New("go:size=2,players=2,pass=free"))
	l := &Limited{g, []Limit{
		{Color: 0, Moves: []game.Action{0, 1}, Depth: 1},
		{Color: 1, Moves: []game.Action{2}, Depth: 9, Only: true},
	}}
	s, _ := l.From(g.NewState())
	for i, c := range []struct {
		want  []game.Action
		plays game.Action
	}{
		{[]game.Action{2, 3, 4}, 3},
		{[]game.Action{2}, 2},
		{[]game.Action{0, 1, 4}, 0}, // the limit of Black is over
		{[]game.Action{4}, 4},       // the only move allowed is illegal: all others are allowed
	} {
		if got := s.LegalActions([]game.Action{9}); !slices.Equal(got[1:], c.want) || got[0] != 9 {
			t.Fatalf("after %d actions: %v, want %v", i, got, c.want)
		}
		again := l.NewState()
		again.CopyFrom(s)
		if !slices.Equal(again.LegalActions(nil), c.want) || again.Hash() != s.Hash() {
			t.Errorf("after %d actions a copy differs", i)
		}
		s.Apply(c.plays)
	}
}
