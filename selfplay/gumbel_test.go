package selfplay

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"tengen/mcts"
	"tengen/replay/record"
	"tengen/replay/window"
)

// TestGumbelTargets: with Gumbel at the root full searches record the improved policy beside the
// visits, others nothing; games are the same on any number of workers, and an encoder makes the
// policies targets.
func TestGumbelTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about records rather than goroutines")
	}
	for _, name := range []string{"go:size=3,players=3", "tictactoe", "tcg", smallTurtle} {
		for _, fast := range []int{0, 4} {
			s := settings(name)
			az(s).PUCT.Gumbel = mcts.Gumbel{
				Considered: 4, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.Interior(fast / 4),
			}
			az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability = fast, 0.4
			job := Job{
				Games: numbers(6), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game),
			}
			want, _ := playJob(t, s, job, 1, 1)
			if got, _ := playJob(t, s, job, 2, 3); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: 2 workers, groups of 3: other games than with one of each", name)
			}
			held, err := window.New(s.Game, window.Config{Capacity: len(want)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(held.Close)
			encoder, err := window.NewEncoder(held, window.EncoderConfig{})
			if err != nil {
				t.Fatal(err)
			}
			samples := map[[2]int]window.Sample{}
			for _, g := range want {
				if err := held.Add(g); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			for k := range held.Positions(false) {
				x := held.At(false, k)
				samples[[2]int{x.Game, int(x.Ply)}] = x
			}
			obs, target, value := make([]float32, s.Game.Planes().Size()),
				make([]float32, s.Game.Actions()), make([]float32, s.Game.Players())
			full, cheap := 0, 0
			for i, g := range want {
				if err := g.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for ply, m := range g.Moves {
					if len(m.Value) == 0 || g.Seats[m.Mover].Kind != record.Network {
						if len(m.Policy) > 0 {
							t.Fatalf("%s: a policy of a move that the network did not choose: %+v",
								name, m)
						}
						continue
					}
					if len(m.Policy) == 0 {
						cheap++
						continue
					}
					full++
					visits := uint32(0)
					for _, v := range m.Visits {
						visits += v.N
					}
					// A tree that is kept has visits from before.
					if visits < 16 {
						t.Fatalf("%s, ply %d: %d visits", name, ply, visits)
					}
					if !slices.ContainsFunc(m.Visits, func(v record.Visit) bool {
						return v.Action == m.Action && v.N > 0
					}) {
						t.Fatalf("%s, ply %d: action %d is played, which was not visited: %v",
							name, ply, m.Action, m.Visits)
					}
					var weight float32
					if err := encoder.Row(samples[[2]int{i, ply}], 0, obs, target, &weight,
						value); err != nil {
						t.Fatal(err)
					}
					for i, p := range m.Probabilities() {
						a := m.Visits[i].Action
						if math.Abs(float64(target[a]-p)) > 1e-6 || weight != 1 {
							t.Fatalf("%s, ply %d: action %d has the target %g of weight %g, recorded is %g", name, ply, a, target[a], weight, p)
						}
					}
				}
			}
			if full < 10 || (cheap > 0) != (fast > 0) {
				t.Errorf("%s, %d simulations in cheap searches: %d full and %d cheap ones",
					name, fast, full, cheap)
			}
		}
	}
}
