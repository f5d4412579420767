package goban

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Each colour owns as many points as are counted for it, its own stones among them, on boards of
// both kinds; and a colour's share is its points / all points.
func TestOwnersAreTheAreaCounted(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:size=4,players=4,max_plies=20", "go:size=9,players=2",
		"go:size=9,players=3,max_plies=60",
	} {
		g := game.Must(game.New(name))
		players, points := g.Players(), g.Planes().H*g.Planes().W
		for i := range uint64(20) {
			s := g.NewState()
			game.Playout(s, random.New(1, random.Test, 30, i), nil)
			cells, seats := make([]int8, points), make([]float32, players)
			s.(game.AuxiliaryTargetState).AuxiliaryTargets(cells, seats)
			owned := make([]int, players+1)
			for p, c := range cells {
				owned[c]++
				if stone := s.(interface{ at(int) int }); stone.at(p) >= 0 &&
					stone.at(p) != int(c) {
					t.Errorf("%s: a stone of colour %d is on point %d, which colour %d owns",
						name, stone.at(p), p, c)
				}
			}
			area := s.(interface{ area() [maxPlayers]int }).area()
			for c := range players {
				if owned[c] != area[c] ||
					math.Abs(float64(seats[c])-float64(area[c])/float64(points)) > 1e-6 {
					t.Errorf(
						"%s, game %d: colour %d owns %d points, its share is %v; %d are counted",
						name, i, c, owned[c], seats[c], area[c])
				}
			}
		}
	}
}
