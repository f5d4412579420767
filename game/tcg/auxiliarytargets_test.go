package tcg

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// The targets are the cards on the fields and the health that the observation of the final position
// shows.
func TestAuxiliaryTargetsAreTheFinalObservation(t *testing.T) {
	for _, name := range []string{
		"tcg", "tcg:deck=benchmark,draw=always", "tcg:cards=representative",
	} {
		g := game.Must(game.New(name)).(*Game)
		size := g.shape.H * g.shape.W
		for i := range uint64(20) {
			s := g.NewState().(*State)
			game.Playout(s, random.New(1, random.Test, 32, i), nil)
			planes, cells, seats := make([]float32, g.Planes().Size()), make([]int8, 2*size),
				make([]float32, 2)
			s.Observation(planes)
			s.AuxiliaryTargets(cells, seats)
			for p := range 2 {
				side := planes[(planeSides+p*sidePlanes)*size:]
				if got := seats[p]; got != side[sideHealth*size] {
					t.Errorf("%s, game %d: seat %d has health %v, the observation shows %v",
						name, i, p, got, side[sideHealth*size])
				}
				for c := range size {
					want := int8(game.NoClass)
					if card := c - int(firstCell); card >= 0 && card < g.cells {
						want = int8(min(1, side[sideField*size+c]))
					}
					if got := cells[p*size+c]; got != want {
						t.Errorf("%s, game %d: cell %d of player %d has class %d, want %d",
							name, i, c, p, got, want)
					}
				}
			}
		}
	}
}
