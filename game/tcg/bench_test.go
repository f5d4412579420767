package tcg

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// BenchmarkRandomGame plays games of uniformly random actions.
func BenchmarkRandomGame(b *testing.B) {
	g := made(b, "tcg")
	rng := random.New(1, random.Test)
	initial, s := g.NewState(), g.NewState()
	actions := make([]game.Action, 0, g.Actions())
	plies := 0
	b.ReportAllocs()
	for b.Loop() {
		s.CopyFrom(initial)
		for ; s.CurrentPlayer() != game.Nobody; plies++ {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(*State).Sample(rng))
				continue
			}
			actions = s.LegalActions(actions[:0])
			s.Apply(actions[rng.IntN(len(actions))])
		}
	}
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

func BenchmarkPlayout(b *testing.B) {
	g := made(b, "tcg")
	rng := random.New(1, random.Test)
	initial, s := g.NewState(), g.NewState().(*State)
	b.ReportAllocs()
	for b.Loop() {
		s.CopyFrom(initial)
		s.Playout(rng)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

// BenchmarkLastTurn values all ends of a turn: of the benchmark's first, and of one
// with three cards on each side.
func BenchmarkLastTurn(b *testing.B) {
	for _, c := range []struct{ name, position string }{
		{"hand", ""},
		{"field", "turn 6 First place | 50 hand 6/6/6 2/1/1 4/1/1 2/3/2 1/3/3 field 3/3/3 0/0/7 2/2/2 deck - | 50 hand - field 4/0/3 1/1/5 3/3/2 deck -"},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := made(b, "tcg:deck=benchmark")
			s := g.NewState().(*State)
			if c.position != "" {
				s = parsed(b, g, c.position)
			}
			leaves := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				_, n, _ := g.lastTurn(s, 0, math.Inf(-1), math.Inf(1))
				leaves += n
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds(), "leaves/s")
		})
	}
}

// The same by single actions on copied states.
func BenchmarkSingleActions(b *testing.B) {
	for b.Loop() {
		leaves(b, "tcg:deck=benchmark,draw=always", 2, true)
	}
	b.ReportMetric(183148*float64(b.N)/b.Elapsed().Seconds(), "leaves/s")
}

func BenchmarkCopy(b *testing.B) {
	g := made(b, "tcg")
	s, u := g.NewState(), g.NewState()
	for b.Loop() {
		u.CopyFrom(s)
	}
}

func BenchmarkObserve(b *testing.B) {
	g := made(b, "tcg")
	s := parsed(b, g, "turn 6 First act 1 | 50 hand 6/6/6 4/1/1 1/3/3 field 3/3/3 0/0/7 2/2/2 deck - | 50 hand - field 4/0/3 1/1/5 3/3/2 deck -")
	dst := make([]float32, g.Planes().Size())
	for b.Loop() {
		s.Observation(dst)
	}
}
