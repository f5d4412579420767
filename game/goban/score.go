package goban

import (
	"math/bits"

	"tengen/game"
)

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

// CellTargets is the owner of each point by the area that is counted; the last class is a point
// that nobody owns.
func (g *goGame) CellTargets() []game.CellTarget {
	return []game.CellTarget{{Name: "owner", Classes: g.Rules.Players + 1, Seats: true}}
}

// SeatTargets is the share of the board's points, without komi.
func (g *goGame) SeatTargets() []string { return []string{"points"} }

// unowned gives all points to nobody.
func (g *goGame) unowned(owner []int8) {
	for p := range owner {
		owner[p] = int8(g.Rules.Players)
	}
}

// shares writes each colour's share of the points.
func (g *goGame) shares(owner []int8, dst []float32) {
	var count [maxPlayers + 1]int
	for _, c := range owner {
		count[c]++
	}
	for c := range g.Rules.Players {
		dst[c] = float32(count[c]) / float32(g.points)
	}
}

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *small) AuxiliaryTargets(cells []int8, seats []float32) {
	g := s.goGame
	cells = cells[:g.points]
	g.unowned(cells)
	empty := g.full &^ s.occupied()
	var reach [maxPlayers]uint64
	for c, stones := range s.stones {
		reach[c] = g.flood(g.dilate(stones)&empty, empty)
	}
	for c, stones := range s.stones {
		own := reach[c]
		for other, r := range reach {
			if other != c {
				own &^= r
			}
		}
		for m := stones | own; m != 0; m &= m - 1 {
			cells[bits.TrailingZeros64(m)] = int8(c)
		}
	}
	g.shares(cells, seats)
}

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *large) AuxiliaryTargets(cells []int8, seats []float32) {
	g := s.goGame
	cells = cells[:g.points]
	g.unowned(cells)
	for p := range cells {
		if c := s.at(p); c >= 0 {
			cells[p] = int8(c)
		}
	}
	rest := s.empty
	for p := rest.first(); p >= 0; p = rest.first() {
		size := s.collect(p, &s.empty)
		owner := s.ownerOf(size)
		for _, p := range s.group[:size] {
			rest.clear(p)
			if owner >= 0 {
				cells[p] = int8(owner)
			}
		}
	}
	g.shares(cells, seats)
}

// ownerOf returns the only colour that the first size points of group touch, -1 if there is none or
// several.
func (s *large) ownerOf(size int) int {
	owner := -1
	for _, p := range s.group[:size] {
		for _, q := range s.orthogonal[p] {
			if s.on[q&mask] < 0 {
				continue
			}
			switch c := s.at(int(q)); owner {
			case -1:
				owner = c
			case c:
			default:
				return -1
			}
		}
	}
	return owner
}
