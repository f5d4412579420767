package gametest_test

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
