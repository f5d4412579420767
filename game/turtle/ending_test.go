package turtle

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

// solved returns the value by the naive rules, without memory; of equal actions the
// first.
func (n *naive) solved() []float64 {
	switch n.step {
	case "over":
		values := make([]float64, len(n.shares))
		for p, x := range n.shares {
			values[p] = float64(x)
		}
		return values
	case "play":
		var best []float64
		for _, a := range n.LegalActions(nil) {
			if values := n.after(a).solved(); best == nil || values[n.mover] > best[n.mover]+1e-6 {
				best = values
			}
		}
		return best
	}
	values := make([]float64, n.r.Players)
	for _, o := range n.Outcomes(nil) {
		for p, x := range n.after(o.Action).solved() {
			values[p] += o.Probability * x
		}
	}
	return values
}

// after returns a copy in which an action has been played.
func (n *naive) after(a game.Action) *naive {
	m := *n
	m.track, m.players = slices.Clone(n.track), slices.Clone(n.players)
	m.Apply(a)
	return &m
}

// The solutions of endings of random games equal those by the naive rules.
func TestSolveAgreesWithNaiveRules(t *testing.T) {
	for _, name := range []string{
		"turtle:hand=2,squares=4,deck=[0,1,1,1,1,1,0],max_turns=9",
		"turtle:hand=1,squares=5,deck=[1,0,1,0,1,2,0],max_turns=12,hands=open",
		"turtle:players=3,hand=2,squares=4,deck=[0,1,0,1,2,1,1],max_turns=10,unowned=none",
	} {
		g := made(t, name)
		solved := 0
		for i := range uint64(20) {
			playBoth(g, random.New(1, random.Test, 20, i), func(s game.State, n *naive) {
				if n.turn < g.rules.MaxTurns-3 || n.step == "over" {
					return
				}
				solution, err := gametest.Solve(g, s, 1_000_000)
				if err != nil {
					t.Fatal(err)
				}
				solved++
				for p, want := range n.solved() {
					if math.Abs(solution.Values[p]-want) > 1e-6 {
						t.Fatalf("%s: the values are %v, by the naive rules %v",
							baseOf(s).Position(), solution.Values, n.solved())
					}
				}
				if s.CurrentPlayer() == game.Chance {
					return
				}
				for _, a := range n.LegalActions(nil) {
					worth := n.after(a).solved()[n.mover]
					if slices.Contains(solution.Best,
						a) != (worth > solution.Values[n.mover]-1e-6) {
						t.Fatalf("%s: %s is worth %v of %v, and the best are %v",
							baseOf(s).Position(), naiveActions[a], worth, solution.Values,
							solution.Best)
					}
				}
			})
		}
		if solved < 20 {
			t.Errorf("%s: only %d endings are solved", name, solved)
		}
	}
}

// Red wins at once by red++; after red+ green wins first.
func TestSolveByHand(t *testing.T) {
	g := made(t, "turtle:hand=2,deck=[1,1,1,0,0,0,0],max_turns=7")
	s := at(t, g, "turn 5 player 1 play | 2:BYP 7:R 8:G | red: red++ red+ | green: green+ green- | deck blue-")
	solution, err := gametest.Solve(g, s, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := []game.Action{Play(DoublePlus(Red), Red)}; !slices.Equal(solution.Best, want) ||
		solution.Values[0] != 1 || solution.Values[1] != 0 {
		t.Errorf("the solution is %+v, where red++ wins", solution)
	}
	whole := made(t, "turtle")
	if _, err := gametest.Solve(whole, whole.NewState(), 1000); err == nil ||
		!strings.Contains(err.Error(), "more than 1000 positions") {
		t.Errorf("the whole game: %v", err)
	}
	s.Apply(solution.Best[0])
	if _, err := gametest.Solve(g, s, 1000); err == nil ||
		!strings.Contains(err.Error(), "the game is over") {
		t.Errorf("a game that is over: %v", err)
	}
}
