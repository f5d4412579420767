package gametest_test

import "tengen/game"

// CellLabels has the owner of each cell, and whether its left and its right neighbour are of one
// owner with it.
func (g *toy) CellLabels() []game.CellLabel {
	list := []game.CellLabel{
		{Name: "owner", Classes: 3, Seats: true}, {Name: "left", Classes: 2},
		{Name: "right", Classes: 2},
	}
	switch g.broken {
	case "label without classes":
		list[1].Classes = 1
	case "label twice":
		list[2].Name = "left"
	case "no label":
		return nil
	}
	return list
}

// SeatLabels has the card.
func (g *toy) SeatLabels() []string {
	if g.broken == "no label" {
		return nil
	}
	return []string{"card"}
}

// permuteLabels exchanges left and right in a flipped row.
func (g *toy) permuteLabels(_, flip *game.Symmetry) {
	flip.Labels = []int{0, 2, 1}
	flip.Secrets = []int{0, 1, 2, 3, 4, 5, 6, 7}
	switch g.broken {
	case "permutation of secrets":
		flip.Secrets[1] = 0
	case "secrets mixed":
		flip.Secrets[0], flip.Secrets[7] = 7, 0
	case "symmetry of secrets":
		flip.Secrets[0], flip.Secrets[1] = 1, 0
	case "symmetry of labels":
		flip.Labels = nil
	case "permutation of labels":
		flip.Labels = []int{0, 2, 2}
	case "classes of labels":
		flip.Labels = []int{1, 0, 2}
	}
}

func (s *toyState) Labels(cells []int8, seats []float32) {
	if s.g.broken == "no label" {
		return
	}
	for i, c := range s.cells {
		cells[i], cells[toyCells+i], cells[2*toyCells+i] = c, game.NoLabel, game.NoLabel
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
	case "unwritten label":
		cells[3] = -128
	case "label beyond":
		cells[:16][15] = 0
	case "seat label":
		seats[1] = 1.5
	case "label of the moment":
		cells[toyCells] = int8(s.g.calls.Add(1) % 2)
	case "labels allocate":
		toyKept.Store(new([1]int))
	}
}

func equal(a, b int8) int8 {
	if a == b {
		return 1
	}
	return 0
}
