package turtle

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// The targets are the squares that the observation of the final position shows, and the share of
// the way of each player's turtle.
func TestAuxiliaryTargetsAreTheFinalSquares(t *testing.T) {
	const size = rows * Turtles
	for _, name := range []string{
		"turtle", "turtle:players=3,squares=5", "turtle:players=5,hands=open",
	} {
		g := made(t, name)
		for i := range uint64(20) {
			s := g.NewState()
			game.Playout(s, random.New(1, random.Test, 33, i), nil)
			b := baseOf(s)
			planes, cells, seats := make([]float32, g.shape.Size()), make([]int8, size),
				make([]float32, g.rules.Players)
			s.Observation(planes)
			b.AuxiliaryTargets(cells, seats)
			for c := range size {
				want := int8(0)
				for level := range Turtles {
					want += int8(planes[(planeLevels+level)*size+c])
				}
				if c/Turtles > g.goal {
					want = game.NoClass
				}
				if cells[c] != want {
					t.Errorf("%s, game %d: cell %d has class %d, want %d",
						name, i, c, cells[c], want)
				}
			}
			for p, share := range seats {
				if want := planes[planeSquare*size+int(b.owner[p])]; share != want {
					t.Errorf("%s, game %d: the turtle of player %d came to %v of the way, the observation shows %v", name, i, p, share, want)
				}
			}
		}
	}
}
