package interactive

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
)

// A player resigns in place of its third hopeless move in a row; without Resign none does.
func TestPlayerResigns(t *testing.T) {
	g := game.Must(game.New("connect-four"))
	for _, resign := range []float64{0, 0.999999} { // always hopeless
		uct := player.UCT{Simulations: 30, C: 0.8, Utility: player.Unit}
		var out strings.Builder
		x := New(g, []Seat{{Name: "uct", Agent: uct.NewAgent(g)}, {Name: "human"}}, 1, &out, false)
		x.Resign = resign
		if err := x.Run(t.Context(), typed("a", "b")); err != nil {
			t.Fatal(err)
		}
		want := game.SeatName(g, 0) + " (uct) resigns; " + game.SeatName(g, 1) + " wins\n"
		if got := out.String(); strings.HasSuffix(got, want) != (resign > 0) ||
			len(x.record) != map[bool]int{true: 4, false: 5}[resign > 0] {
			t.Errorf("below %v, %d moves:\n%s", resign, len(x.record), got)
		}
	}
}
