package connectfour

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// minimax returns what each legal action is worth by search of all positions with the rules alone.
func minimax(s game.State, g *Game) []game.Solved {
	var list []game.Solved
	for _, a := range s.LegalActions(nil) {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		x := game.Solved{Action: a, Plies: 1}
		if p := next.CurrentPlayer(); p == game.Nobody {
			next.Returns(x.Value[:])
		} else {
			best := *game.BestSolved(minimax(next, g), p)
			x.Value, x.Plies = best.Value, best.Plies+1
		}
		list = append(list, x)
	}
	return list
}

// The solver agrees with minimax on value and length, for each action of random positions near the
// end.
func TestSolverAgreesWithMinimax(t *testing.T) {
	for _, b := range [][3]int{{6, 7, 4}, {4, 4, 3}, {5, 5, 4}, {7, 8, 4}, {3, 16, 4}} {
		g := newGame(b[0], b[1], b[2], 2)
		solver, err := g.NewSolver(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		for i := uint64(0); checked < 40 && i < 20_000; i++ {
			rng := random.New(1, random.Test, 33, i)
			s := g.NewState()
			for s.CurrentPlayer() != game.Nobody && s.(*State).Turn() < g.Cells-2-int(i%6) {
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
			if s.CurrentPlayer() == game.Nobody {
				continue
			}
			checked++
			want, got := minimax(s, g), solver.Solve(s, nil)
			if len(got) != len(want) {
				t.Fatalf("%s: %d actions are solved; want %d\n%s",
					g.Name(), len(got), len(want), s.(*State).Draw(false))
			}
			for k := range want {
				got[k].Positions = 0
				if got[k] != want[k] {
					t.Errorf("%s: solved %+v; by minimax %+v\n%s",
						g.Name(), got[k], want[k], s.(*State).Draw(false))
				}
			}
		}
		if checked < 10 {
			t.Errorf("%s: only %d positions", g.Name(), checked)
		}
	}
}

func TestThreePlayersAreNotSolved(t *testing.T) {
	if _, err := newGame(6, 7, 4, 3).NewSolver(1); err == nil ||
		!strings.Contains(err.Error(), "only the game for two players") {
		t.Errorf("the error is %v", err)
	}
}
