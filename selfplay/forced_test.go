package selfplay

import (
	"reflect"
	"slices"
	"testing"

	"tengen/replay"
)

// TestForcedPlayouts: with forced playouts full searches record fewer visits than they made, of
// which the move played has some, and cheap ones none; games are the same on any number of
// workers.
func TestForcedPlayouts(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about records rather than goroutines")
	}
	for _, name := range []string{"go:size=3,players=3", "tictactoe", "tcg", smallTurtle} {
		for _, leaves := range []int{1, 4} {
			s := settings(name)
			s.PUCT.Simulations, s.PUCT.Reuse, s.PUCT.Leaves, s.PUCT.ForcedPlayouts = 40, false, leaves, 2
			s.FastSimulations, s.FullProbability = 4, 0.5
			job := Job{Games: numbers(6), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game)}
			want, _ := playJob(t, s, job, 1, 1)
			if got, _ := playJob(t, s, job, 2, 3); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: 2 workers, groups of 3: other games than with one of each", name)
			}
			full, pruned := 0, 0
			for _, g := range want {
				for ply, m := range g.Moves {
					if len(m.Visits) == 0 {
						continue
					}
					full++
					n := uint32(0)
					for _, v := range m.Visits {
						n += v.N
						if v.N == 0 {
							t.Fatalf("%s, ply %d: an action without visits is recorded", name, ply)
						}
					}
					if n > 40 {
						t.Fatalf("%s, ply %d: %d visits of 40", name, ply, n)
					}
					if n < 40 {
						pruned++
					}
					if !slices.ContainsFunc(m.Visits, func(v replay.Visit) bool { return v.Action == m.Action }) {
						t.Fatalf("%s, ply %d: action %d is played, whose visits are pruned: %v", name, ply, m.Action, m.Visits)
					}
				}
			}
			if full < 10 || pruned < 3 {
				t.Errorf("%s: %d full searches, %d pruned: hardly anything is tested", name, full, pruned)
			}
		}
	}
}
