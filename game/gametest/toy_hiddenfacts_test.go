package gametest_test

import "tengen/game"

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
