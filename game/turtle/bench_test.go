package turtle

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// BenchmarkRandomGame plays games of uniformly random actions, the deal included.
func BenchmarkRandomGame(b *testing.B) {
	for _, name := range []string{"turtle", "turtle:players=5"} {
		b.Run(name, func(b *testing.B) {
			g := made(b, name)
			rng := random.New(1, random.Test)
			initial, s := g.NewState(), g.NewState()
			legal := make([]game.Action, 0, g.Actions())
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				s.CopyFrom(initial)
				for ; s.CurrentPlayer() != game.Nobody; plies++ {
					if s.CurrentPlayer() == game.Chance {
						s.Apply(s.(game.Chancer).Sample(rng))
						continue
					}
					legal = s.LegalActions(legal[:0])
					s.Apply(legal[rng.IntN(len(legal))])
				}
			}
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

func BenchmarkPlayout(b *testing.B) {
	g := made(b, "turtle")
	rng := random.New(1, random.Test)
	initial, s := g.NewState(), g.NewState().(*State)
	b.ReportAllocs()
	for b.Loop() {
		s.CopyFrom(initial)
		s.Playout(rng)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
}

func BenchmarkRollout(b *testing.B) {
	g := made(b, "turtle")
	for q := range Strategy(strategies) {
		b.Run(q.String(), func(b *testing.B) {
			rng := random.New(1, random.Test)
			initial, s := g.NewState(), g.NewState()
			for b.Loop() {
				s.CopyFrom(initial)
				q.Rollout(s, 0.1, rng)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "games/s")
		})
	}
}

func BenchmarkDeterminize(b *testing.B) {
	for _, name := range []string{"turtle", "turtle:players=5"} {
		b.Run(name, func(b *testing.B) {
			g := made(b, name)
			rng := random.New(1, random.Test)
			s := g.NewState().(*State)
			for s.CurrentPlayer() == game.Chance {
				s.Apply(s.Sample(rng))
			}
			for b.Loop() {
				s.Determinize(rng, 0)
			}
		})
	}
}

func BenchmarkCopy(b *testing.B) {
	g := made(b, "turtle")
	s, u := g.NewState(), g.NewState()
	for b.Loop() {
		u.CopyFrom(s)
	}
}

func BenchmarkObserve(b *testing.B) {
	g := made(b, "turtle")
	rng := random.New(1, random.Test)
	s := g.NewState()
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	dst := make([]float32, g.Planes().Size())
	for b.Loop() {
		s.Observation(dst)
	}
}
