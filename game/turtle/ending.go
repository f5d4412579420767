package turtle

import (
	"fmt"

	"tengen/game"
)

// Solution is the value of a position of open hands.
type Solution struct {
	Values    []float64     // [players] the expected utility of each
	Best      []game.Action // the current player's best actions, ascending; none at chance nodes
	Positions int           // number of positions searched
}

// Solve returns the exact value of a position in which all players see all hands and
// colours, by expectimax over every card that may be drawn. Every player maximises its
// own expected utility, which with two players is minimax, and plays the first of
// equal actions. Solve returns an error if it needs more than most positions; small
// decks with few turns left (Rules.MaxTurns) can be solved. Hidden hands are treated
// as open.
func Solve(s game.State, most int) (*Solution, error) {
	t := baseOf(s)
	if t.phase == over {
		return nil, fmt.Errorf("solve: the game is over")
	}
	v := &solver{g: t.g, most: most, known: map[uint64][Turtles]float64{}}
	values := make([]float64, t.g.rules.Players)
	solution := &Solution{}
	if t.phase != play {
		all := v.value(t)
		copy(values, all[:])
	} else {
		top := -1.0
		for _, a := range t.LegalActions(nil) {
			next := *t
			next.plays(a)
			all := v.value(&next)
			switch x := all[t.mover]; {
			case x > top+solverNoise:
				top = x
				copy(values, all[:])
				solution.Best = append(solution.Best[:0], a)
			case x > top-solverNoise:
				solution.Best = append(solution.Best, a)
			}
		}
	}
	if v.full {
		return nil, fmt.Errorf("solve: more than %d positions can come up", most)
	}
	solution.Values, solution.Positions = values, len(v.known)
	return solution, nil
}

// solverNoise bounds the rounding errors of sums of probabilities.
const solverNoise = 1e-12

// solver keeps the values of positions by hash.
type solver struct {
	g     *Game
	most  int
	known map[uint64][Turtles]float64
	full  bool
}

func (v *solver) value(s *base) (values [Turtles]float64) {
	if s.phase == over {
		share := 1 / float64(popcount(s.winners))
		for p := range v.g.rules.Players {
			if s.winners>>p&1 != 0 {
				values[p] = share
			}
		}
		return values
	}
	key := s.Hash()
	if known, ok := v.known[key]; ok || v.full {
		return known
	}
	if s.phase == play {
		values = v.choose(s)
	} else {
		for _, o := range s.Outcomes(nil) {
			next := *s
			next.Apply(o.Action)
			for p, x := range v.value(&next) {
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

// choose returns the value of the current player's best action.
func (v *solver) choose(s *base) (values [Turtles]float64) {
	top := -1.0
	for _, a := range s.LegalActions(nil) {
		next := *s
		next.plays(a)
		if all := v.value(&next); all[s.mover] > top+solverNoise {
			top, values = all[s.mover], all
		}
	}
	return values
}
