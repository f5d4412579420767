package gametest_test

import "tengen/game"

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
