package gametest_test

import "tengen/game"

// Heuristics has one: the weights of the cells that a player has marked, less the
// opponent's.
func (g *toy) Heuristics() []game.Heuristic {
	h := game.Heuristic{Name: "cells", Low: -9, High: 9, Value: toyValue, Range: toyRange, LastTurn: toyLastTurn}
	switch g.broken {
	case "heuristic bounds":
		h.High = 1
	case "flat":
		h.Flat = func(game.State) bool { return true }
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

// toyRange assumes one cell of weight at most 3 per turn.
func toyRange(s game.State, p game.Player, turns int) (low, high float64) {
	v, most := toyValue(s, p), 3*float64(turns)
	if s.(*toyState).g.broken == "heuristic range" {
		most = 1
	}
	return v - most, v + most
}

// toyLastTurn marks the free cell of the greatest weight.
func toyLastTurn(state game.State, p game.Player, alpha, _ float64) (value float64, leaves int64, ok bool) {
	s := state.(*toyState)
	best := float32(0)
	for i, owner := range s.cells {
		if owner < 0 {
			best = max(best, toyWeights[i])
			leaves++
		}
	}
	switch {
	case s.g.broken == "last turn":
		best = 1
	case s.g.broken == "last turn window" && alpha > -9:
		best++
	}
	if s.CurrentPlayer() != p {
		best = -best
	}
	return toyValue(s, p) + float64(best), leaves, true
}
