package selfplay

import (
	"math"
	"reflect"
	"testing"

	"tengen/game"
	"tengen/mcts"
	"tengen/replay"
	"tengen/search"
)

// TestRecordsTargets: surprises and expected utilities are added to games that are otherwise the
// same; a surprise belongs to a policy target of the network's, and expected utilities to the
// network's decisions that chance follows.
func TestRecordsTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about records rather than goroutines")
	}
	for _, name := range []string{"go:size=3,players=3", "tcg", smallTurtle} {
		for _, gumbel := range []bool{false, true} {
			s := settings(name)
			s.FastSimulations, s.FullProbability, s.UCTPolicyTarget = 4, 0.5, true
			if gumbel {
				s.PUCT.Gumbel = mcts.Gumbel{Considered: 4, VisitOffset: 50, ValueScale: 0.1}
			}
			job := Job{Games: numbers(6), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game)}
			plain, _ := playJob(t, s, job, 1, 1)
			s.Surprises, s.Expected = true, true
			got, _ := playJob(t, s, job, 2, 3)
			surprised, expects, draws := 0, 0, 0
			for k, g := range got {
				for ply := range g.Moves {
					m := &g.Moves[ply]
					network := m.Mover >= 0 && g.Seats[m.Mover].Kind == replay.Network
					if m.Surprise > 0 {
						surprised++
						if !network || len(m.Visits) == 0 {
							t.Fatalf("%s, game %d, ply %d: a surprise of no policy target of the network's", name, k, ply)
						}
					}
					drawn := false
					for i := ply + 1; i < len(g.Moves) && len(g.Moves[i].Value) == 0; i++ {
						drawn = drawn || g.Moves[i].Mover == game.Chance
					}
					if want := drawn && network && len(m.Value) > 0; want {
						draws++
						if len(m.Expected) > 0 {
							expects++
						}
					} else if len(m.Expected) > 0 {
						t.Fatalf("%s, game %d, ply %d: expected utilities, but no chance follows a decision of the network's", name, k, ply)
					}
					for _, v := range m.Expected {
						if !(v >= 0 && v <= 1) {
							t.Fatalf("%s, game %d, ply %d: the utilities %v are expected", name, k, ply, m.Expected)
						}
					}
					m.Surprise, m.Expected = 0, nil
				}
			}
			if !reflect.DeepEqual(got, plain) {
				t.Errorf("%s: the games differ in more than their targets", name)
			}
			if surprised < 10 || expects < draws*9/10 || expects == 0 && name != "go:size=3,players=3" {
				t.Errorf("%s: %d surprises; utilities are expected before %d of %d outcomes", name, surprised, expects, draws)
			}
		}
	}
}

func TestSurprise(t *testing.T) {
	children := []search.Child{{Action: 1, Prior: 0.5}, {Action: 4, Prior: 0.25}, {Action: 6}, {Action: 7, Prior: 0.25}}
	visits := []replay.Visit{{Action: 1, N: 1}, {Action: 7, N: 3}}
	for _, test := range []struct {
		move replay.Move
		want float64
	}{
		{replay.Move{Visits: visits}, 0.25*math.Log(0.25/0.5) + 0.75*math.Log(0.75/0.25)},
		{replay.Move{Visits: visits, Policy: []float32{1, 1}}, 0.5 * math.Log(0.5/0.25)},
		{replay.Move{Visits: []replay.Visit{{Action: 6, N: 9}}}, -math.Log(leastPrior)},
		{replay.Move{Visits: []replay.Visit{{Action: 1, N: 2}, {Action: 4, N: 1}, {Action: 7, N: 1}}}, 0},
	} {
		if got := surprise(&test.move, children); math.Abs(float64(got)-test.want) > 1e-6 {
			t.Errorf("%v, %v: %v, want %v", test.move.Visits, test.move.Policy, got, test.want)
		}
	}
}
