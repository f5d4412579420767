package goban

// scores writes each colour's points plus komi.
func (g *goGame) scores(points [maxPlayers]int, dst []float32) {
	for c, komi := range g.Komi {
		dst[c] = float32(float64(points[c]) + komi)
	}
}

// returns writes the utilities of a finished game.
func (g *goGame) returns(points [maxPlayers]int, dst []float32) {
	dst = dst[:g.Rules.Players]
	if g.Reward == Score {
		for c := range dst {
			dst[c] = g.support[points[c]]
		}
		return
	}
	g.scores(points, dst)
	best, leaders := dst[0], 0
	for _, x := range dst {
		best = max(best, x)
	}
	for _, x := range dst {
		if x == best {
			leaders++
		}
	}
	for c, x := range dst {
		dst[c] = 0
		if x == best {
			dst[c] = 1 / float32(leaders)
		}
	}
}

// Scores writes the area of each colour plus its komi.
func (s *small) Scores(dst []float32) { s.scores(s.area(), dst) }

// Returns writes the utilities.
func (s *small) Returns(dst []float32) { s.returns(s.area(), dst) }

// Scores writes the area of each colour plus its komi.
func (s *large) Scores(dst []float32) { s.scores(s.area(), dst) }

// Returns writes the utilities.
func (s *large) Returns(dst []float32) { s.returns(s.area(), dst) }
