package gametest

import (
	"fmt"

	"tengen/game"
)

// Solution is the value of a position in which nothing is hidden.
type Solution struct {
	Values    []float64     // [players] the expected utility of each
	Best      []game.Action // the current player's best actions, ascending; none at chance nodes
	Positions int           // number of positions searched
}

// Solve returns the exact value of a position by expectimax over every outcome of
// chance. Every player maximizes its own expected utility, which with two players is
// minimax, and plays the first of equal actions. Hidden information is treated as open.
// Solve returns an error if the game is over, or if more than most positions can come
// up.
func Solve(g game.Game, s game.State, most int) (*Solution, error) {
	if s.CurrentPlayer() == game.Nobody {
		return nil, fmt.Errorf("solve: the game is over")
	}
	v := &solver{g: g, most: most, known: map[uint64][]float64{}}
	solution := &Solution{}
	if s.CurrentPlayer() == game.Chance {
		solution.Values = v.value(s)
	} else {
		solution.Values, solution.Best = v.choose(s)
	}
	if v.full {
		return nil, fmt.Errorf("solve: more than %d positions can come up", most)
	}
	solution.Positions = len(v.known)
	return solution, nil
}

// solverNoise bounds the rounding errors of sums of probabilities.
const solverNoise = 1e-12

// solver keeps the values of positions by hash.
type solver struct {
	g     game.Game
	most  int
	known map[uint64][]float64
	full  bool
}

// value returns the expected utilities of the players; callers must not change them.
func (v *solver) value(s game.State) []float64 {
	values := make([]float64, v.g.Players())
	if s.CurrentPlayer() == game.Nobody {
		utilities := make([]float32, len(values))
		s.Returns(utilities)
		for p, u := range utilities {
			values[p] = float64(u)
		}
		return values
	}
	key := s.Hash()
	if known, ok := v.known[key]; ok {
		return known
	}
	if v.full {
		return values
	}
	if s.CurrentPlayer() != game.Chance {
		values, _ = v.choose(s)
	} else {
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			for p, x := range v.value(v.after(s, o.Action)) {
				values[p] += o.Probability * x
			}
		}
	}
	if len(v.known) >= v.most {
		v.full = true
		return values
	}
	v.known[key] = values
	return values
}

// choose returns the value of the current player's first best action, and its best actions.
func (v *solver) choose(s game.State) (values []float64, best []game.Action) {
	top, p := -1.0, s.CurrentPlayer()
	for _, a := range s.LegalActions(nil) {
		all := v.value(v.after(s, a))
		switch x := all[p]; {
		case x > top+solverNoise:
			top, values, best = x, all, append(best[:0], a)
		case x > top-solverNoise:
			best = append(best, a)
		}
	}
	return values, best
}

// after returns a copy of s in which an action has been played.
func (v *solver) after(s game.State, a game.Action) game.State {
	next := v.g.NewState()
	next.CopyFrom(s)
	next.Apply(a)
	return next
}
