package minimax

import (
	"testing"

	"tengen/game"
)

// BenchmarkSearch measures leaves a second. On the board most time is the game's; with cells it
// is the searcher's own.
func BenchmarkSearch(b *testing.B) {
	board := game.Must(game.New("mnk:rows=5,columns=5,in_row=4"))
	for _, c := range []struct {
		name string
		g    game.Game
		o    Options
	}{
		{"mnk/plain", board, Options{Depth: 4}},
		{"mnk/alphabeta", board, Options{Depth: 4, Prune: true}},
		{"mnk/table", board, Options{Depth: 4, Prune: true, Table: 1 << 22}},
		{"cells/plain", cells{}, Options{Depth: 5}},
		{"cells/maxn", cells{}, Options{Depth: 5, Opponents: MaxN}},
		{"grove/plain", deep, Options{Depth: 2}},
		{"grove/star1", deep, Options{Depth: 2, Prune: true, Star: 1}},
		{"grove/star2", deep, Options{Depth: 2, Prune: true, Star: 2, Table: 1 << 20}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := searcher(b, c.g, c.o)
			s := c.g.NewState()
			var leaves int64
			for b.Loop() {
				w.Reset()
				leaves += w.Search(s).Leaves
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds(), "leaves/s")
			b.ReportMetric(float64(leaves)/float64(b.N), "leaves/op")
		})
	}
}

// cells is a minimal game: 16 actions a turn, without end.
type cells struct{}

type cellState struct {
	plies int
	sum   uint64
}

func (cells) Name() string         { return "cells" }
func (cells) Players() int         { return 2 }
func (cells) Actions() int         { return 16 }
func (cells) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (cells) Support() []float32   { return nil }
func (cells) NewState() game.State { return &cellState{} }
func (s *cellState) Turn() int     { return s.plies }
func (s *cellState) Hash() uint64  { return s.sum }
func (s *cellState) Apply(a game.Action) {
	s.plies++
	s.sum = s.sum*0x9e3779b97f4a7c15 + uint64(a)
}
func (s *cellState) CurrentPlayer() game.Player { return game.Player(s.plies & 1) }
func (s *cellState) CopyFrom(src game.State)    { *s = *src.(*cellState) }
func (s *cellState) Returns([]float32)          {}
func (s *cellState) Observation([]float32)      {}
func (s *cellState) LegalActions(dst []game.Action) []game.Action {
	for a := range game.Action(16) {
		dst = append(dst, a)
	}
	return dst
}

func (cells) Heuristics() []game.Heuristic {
	return []game.Heuristic{{Name: "sum", Low: -128, High: 128, Value: func(
		s game.State, p game.Player,
	) float64 {
		v := float64(int8(s.(*cellState).sum >> 56))
		if p == 1 {
			return -v
		}
		return v
	}}}
}
