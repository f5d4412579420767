package gametest_test

import "tengen/game"

// Heuristics has one: the weights of the cells that a player has marked, less the
// opponent's.
func (g *toy) Heuristics() []game.Heuristic {
	h := game.Heuristic{Name: "cells", Low: -9, High: 9, Value: toyValue}
	switch g.broken {
	case "heuristic bounds":
		h.High = 1
	case "heuristic name":
		return []game.Heuristic{h, h}
	}
	return []game.Heuristic{h}
}

func toyValue(state game.State, p game.Player) float64 {
	s := state.(*toyState)
	v := float32(0)
	for i, owner := range s.cells {
		switch owner {
		case int8(p):
			v += toyWeights[i]
		case int8(1 - p):
			v -= toyWeights[i]
		}
	}
	switch s.g.broken {
	case "heuristic allocates":
		toyKept.Store(new([1]int))
	case "heuristic changes the state":
		s.turn++
	}
	return float64(v)
}
