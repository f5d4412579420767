package mnk

import (
	"testing"

	"tengen/game"
	"tengen/internal/stream"
)

// The labels of cells are the stones that the observation of the final position shows.
func TestLabelsAreTheStones(t *testing.T) {
	g := game.Must(game.New("mnk:rows=9,columns=10,in_row=4,players=3")).(*Game)
	for i := range uint64(20) {
		s := g.NewState().(*State)
		s.Playout(stream.New(1, stream.Test, 31, i))
		planes, cells := make([]float32, g.Planes().Size()), make([]int8, g.cells)
		s.Observation(planes)
		s.Labels(cells, nil)
		for c, class := range cells {
			want := int8(g.players)
			for p := range g.players {
				if planes[p*g.cells+c] == 1 {
					want = int8(p)
				}
			}
			if class != want {
				t.Errorf("game %d: cell %d has class %d, the observation shows %d", i, c, class, want)
			}
		}
	}
}
