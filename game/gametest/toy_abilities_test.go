package gametest_test

import (
	"math/rand/v2"

	"tengen/game"
)

// CellTargets has the owner of each cell, and whether its left and its right neighbour are of one
// owner with it.
func (g *toy) CellTargets() []game.CellTarget {
	list := []game.CellTarget{
		{Name: "owner", Classes: 3, Seats: true}, {Name: "left", Classes: 2},
		{Name: "right", Classes: 2},
	}
	switch g.broken {
	case "target without classes":
		list[1].Classes = 1
	case "target twice":
		list[2].Name = "left"
	case "no target":
		return nil
	}
	return list
}

// SeatTargets has the card.
func (g *toy) SeatTargets() []string {
	if g.broken == "no target" {
		return nil
	}
	return []string{"card"}
}

// permuteTargets exchanges left and right in a flipped row.
func (g *toy) permuteTargets(_, flip *game.Symmetry) {
	flip.CellTargets = []int{0, 2, 1}
	flip.HiddenFacts = []int{0, 1, 2, 3, 4, 5, 6, 7}
	switch g.broken {
	case "permutation of hidden facts":
		flip.HiddenFacts[1] = 0
	case "hidden facts mixed":
		flip.HiddenFacts[0], flip.HiddenFacts[7] = 7, 0
	case "symmetry of hidden facts":
		flip.HiddenFacts[0], flip.HiddenFacts[1] = 1, 0
	case "symmetry of targets":
		flip.CellTargets = nil
	case "permutation of targets":
		flip.CellTargets = []int{0, 2, 2}
	case "classes of targets":
		flip.CellTargets = []int{1, 0, 2}
	}
}

func (s *toyState) AuxiliaryTargets(cells []int8, seats []float32) {
	if s.g.broken == "no target" {
		return
	}
	for i, c := range s.cells {
		cells[i], cells[toyCells+i], cells[2*toyCells+i] = c, game.NoClass, game.NoClass
		if c < 0 {
			cells[i] = 2
		}
		if i > 0 {
			cells[toyCells+i] = equal(c, s.cells[i-1])
		}
		if i+1 < toyCells {
			cells[2*toyCells+i] = equal(c, s.cells[i+1])
		}
	}
	for p, card := range s.cards {
		seats[p] = float32(card) / 4
	}
	switch s.g.broken {
	case "class":
		cells[3] = 3
	case "unwritten target":
		cells[3] = -128
	case "target beyond":
		cells[:16][15] = 0
	case "seat target":
		seats[1] = 1.5
	case "target of the moment":
		cells[toyCells] = int8(s.g.calls.Add(1) % 2)
	case "targets allocate":
		toyKept.Store(new([1]int))
	}
}

func equal(a, b int8) int8 {
	if a == b {
		return 1
	}
	return 0
}

// HiddenFacts are the players' cards.
func (g *toy) HiddenFacts() []game.HiddenFact {
	list := []game.HiddenFact{
		{Name: "Left's card", Kind: "card", Classes: 4},
		{Name: "Right's card", Kind: "card", Seat: 1, Classes: 4},
	}
	switch g.broken {
	case "hidden fact twice":
		list[1].Name = list[0].Name
	case "hidden fact of nobody":
		list[1].Seat = 2
	case "hidden fact without classes":
		list[1].Classes = 1
	}
	return list
}

func (s *toyState) HiddenFacts(seat game.Player, classes []int8) {
	classes[seat], classes[1-seat] = game.NoClass, s.cards[1-seat]
	switch s.g.broken {
	case "class of a hidden fact":
		classes[1-seat] = 4
	case "own hidden fact":
		classes[seat] = s.cards[seat]
	case "hidden facts allocate":
		toyKept.Store(new([1]int))
	}
}

func (s *toyState) HiddenFactPriors(seat game.Player, priors []float32) {
	clear(priors[:8])
	for card := range int8(4) {
		if card != s.cards[seat] {
			priors[4*(1-seat)+game.Player(card)] = 1. / 3
		}
	}
	switch s.g.broken {
	case "priors of all cards":
		for i := range priors[:4] {
			priors[4*int(1-seat)+i] = 0.25
		}
	case "unwritten prior":
		priors = priors[:9]
		priors[8] = 1
	case "leaky priors":
		if s.cards[0] == 2 {
			for i := range int8(4) {
				priors[i] = 0
				if seat == 1 && i != s.cards[1] {
					priors[i] = 0.25
				}
			}
			if seat == 1 {
				priors[2] = 0.5
			}
		}
	case "prior sum":
		priors[4*(1-seat)+game.Player(s.cards[1-seat])] = 0.5
	}
}

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

// HistoryPlanes are those of the cells that each player has marked.
func (g *toy) HistoryPlanes() (from, to int) {
	switch g.broken {
	case "history planes":
		return 3, 6
	case "history of cards":
		return 0, 5
	}
	return 0, 2
}

// breakHistory shows, in a plane of the history, a card that one seat does not see.
func (s *toyState) breakHistory(dst []float32) {
	if s.g.broken == "leaky history" && s.turn%2 == 0 {
		dst[7] = float32(s.cards[0])
	}
}

// Strategies has one: mark the first free cell.
func (g *toy) Strategies() []game.Strategy {
	q := game.Strategy{Name: "first", Choose: func(s game.State, _ *rand.Rand) game.Action {
		legal := s.LegalActions(nil)
		switch t := s.(*toyState); t.g.broken {
		case "strategy without rules":
			return toyFill + 1
		case "strategy that peeks":
			return legal[int(t.cards[1-t.CurrentPlayer()])%len(legal)]
		}
		return legal[0]
	}}
	switch g.broken {
	case "strategy name":
		q.Name = "random"
	case "rollout stops":
		q.Rollout = func(game.State, float64, *rand.Rand) {}
	}
	return []game.Strategy{q}
}
