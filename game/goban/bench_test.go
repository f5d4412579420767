package goban

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

func BenchmarkPlayout5x5x3(b *testing.B) { benchmarkPlayout(b, "go:size=5,players=3") }
func BenchmarkPlayout5x5x2(b *testing.B) { benchmarkPlayout(b, "go:size=5,players=2") }
func BenchmarkPlayout8x8x2(b *testing.B) { benchmarkPlayout(b, "go:size=8,players=2") }
func BenchmarkPlayout9x9x2(b *testing.B) { benchmarkPlayout(b, "go:size=9,players=2") }

func BenchmarkPlayout19x19x2(b *testing.B) { benchmarkPlayout(b, "go:size=19,players=2") }

// benchmarkPlayout plays from the empty board to the end, scored.
func benchmarkPlayout(b *testing.B, name string) {
	g := game.Must(game.New(name))
	empty, s := g.NewState(), g.NewState()
	rng := random.New(1, random.Test, 1)
	utilities := make([]float32, g.Players())
	plies := 0
	b.ReportAllocs()
	for b.Loop() {
		s.CopyFrom(empty)
		s.(game.Playouter).Playout(rng)
		s.Returns(utilities)
		plies += pliesOf(s)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N)/seconds, "games/s")
	b.ReportMetric(seconds*1e9/float64(plies), "ns/ply")
}

// samples returns positions of random games of three colours on 5×5, one from each ply
// up to about the fiftieth, each with a random legal action.
func samples(b *testing.B) (g game.Game, states []game.State, actions []game.Action) {
	g = game.Must(game.New("go:size=5,players=3"))
	rng := random.New(1, random.Test, 2)
	for len(states) < 256 {
		s := g.NewState()
		for target := rng.IntN(50); s.CurrentPlayer() != game.Nobody; target-- {
			legal := s.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			if target == 0 {
				states, actions = append(states, s), append(actions, a)
				break
			}
			s.Apply(a)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	return g, states, actions
}

func BenchmarkLegal(b *testing.B) {
	_, states, _ := samples(b)
	var legal []game.Action
	for i := range b.N {
		legal = states[i&255].LegalActions(legal[:0])
	}
}

func BenchmarkCopyFrom(b *testing.B) {
	g, states, _ := samples(b)
	s := g.NewState()
	for i := range b.N {
		s.CopyFrom(states[i&255])
	}
}

// BenchmarkApply includes a CopyFrom.
func BenchmarkApply(b *testing.B) {
	g, states, actions := samples(b)
	s := g.NewState()
	for i := range b.N {
		s.CopyFrom(states[i&255])
		s.Apply(actions[i&255])
	}
}

func BenchmarkObserve(b *testing.B) {
	g, states, _ := samples(b)
	planes := make([]float32, g.Planes().Size())
	for i := range b.N {
		states[i&255].Observation(planes)
	}
}

func BenchmarkHash(b *testing.B) {
	_, states, _ := samples(b)
	var sum uint64
	for i := range b.N {
		sum += states[i&255].Hash()
	}
	_ = sum
}

// BenchmarkSimulation does what a simulation of a search from the empty board does: a
// copy, three actions, the legal actions at the leaf.
func BenchmarkSimulation(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	root, s := g.NewState(), g.NewState()
	var legal []game.Action
	b.ReportAllocs()
	for i := range b.N {
		s.CopyFrom(root)
		s.Apply(game.Action(i % 5))
		s.Apply(game.Action(5 + i%7))
		s.Apply(game.Action(12 + i%13))
		legal = s.LegalActions(legal[:0])
	}
}

func pliesOf(s game.State) int {
	if s, ok := s.(*small); ok {
		return s.plies
	}
	return s.(*large).plies
}
