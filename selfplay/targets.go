package selfplay

import (
	"math"

	"tengen/game"
	"tengen/replay"
	"tengen/search"
)

// leastPrior bounds the surprise of an action that the network all but excludes.
const leastPrior = 1e-8

// surprise returns the relative entropy of a move's policy target to the network's policy without
// noise, in nats. The children contain every action of the target, in the same order.
func surprise(m *replay.Move, children []search.Child) float32 {
	target := func(i int) float64 {
		if len(m.Policy) > 0 {
			return float64(m.Policy[i])
		}
		return float64(m.Visits[i].N)
	}
	total := 0.0
	for i := range m.Visits {
		total += target(i)
	}
	sum, k := 0.0, 0
	for i, v := range m.Visits {
		for children[k].Action != v.Action {
			k++
		}
		if p := target(i) / total; p > 0 {
			sum += p * math.Log(p/max(leastPrior, float64(children[k].Prior)))
		}
	}
	return float32(max(0, sum))
}

// expected returns the mean utilities of an action, nil without visits.
func expected(children []search.Child, a game.Action, players int) []float32 {
	for i := range children {
		if c := &children[i]; c.Action == a && c.Visits > 0 {
			return append([]float32(nil), c.Value[:players]...)
		}
	}
	return nil
}

// beforeChance removes expected utilities of moves that no outcome of chance follows, with forced
// moves at most in between.
func beforeChance(r *replay.Game) {
	drawn := false // an outcome of chance comes before the next decision
	for i := len(r.Moves) - 1; i >= 0; i-- {
		m := &r.Moves[i]
		switch {
		case m.Mover == game.Chance:
			drawn = true
		case len(m.Value) > 0:
			if !drawn {
				m.Expected = nil
			}
			drawn = false
		case r.Seats[m.Mover].Kind == replay.Guest: // perhaps a decision
			drawn = false
		}
	}
}
