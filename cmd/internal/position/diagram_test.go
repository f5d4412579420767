package position

import (
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
)

// unnamed is a game whose actions have numbers alone.
type unnamed struct{ game.Game }

// A board's columns have the letters of its cells' names, or else numbers.
func TestDiagramColumns(t *testing.T) {
	g := game.Must(game.New("go:size=11,players=2"))
	for _, c := range []struct {
		game game.Game
		want string
	}{{g, "a b c d e f g h j k l"}, {unnamed{g}, "1 2 3 4 5 6 7 8 9 10 11"}} {
		d := NewDiagram(c.game, g.NewState(), nil, game.NoAction)
		var columns []string
		for n := range d.columns {
			columns = append(columns, d.column(n))
		}
		if got := strings.Join(columns, " "); got != c.want {
			t.Errorf("columns %s, want %s", got, c.want)
		}
		// Each stone has a colour, whoever's it is.
		for p := range d.stones {
			d.stones[p] = game.Player(p % game.MaxPlayers)
		}
		if n := strings.Count(d.SVG(""), "<circle "); n != len(d.stones) {
			t.Errorf("%d of %d stones are drawn", n, len(d.stones))
		}
	}
}
