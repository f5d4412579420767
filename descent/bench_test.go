package descent_test

import (
	"testing"

	"tengen/descent"
	"tengen/game"
	_ "tengen/game/goban"
	"tengen/internal/random"
	"tengen/search"
)

// noise evaluates states by values drawn in advance, one after another. It measures a search
// with network-like evaluations, without the network's time.
type noise struct {
	evaluations search.Evaluations
	next, n     int
}

func newNoise(g game.Game, seed uint64) *noise {
	const n = 1 << 12
	rng := random.New(seed, random.Test)
	e := &noise{evaluations: search.Evaluations{Players: g.Players()}}
	for range n * g.Players() {
		e.evaluations.Values = append(e.evaluations.Values, rng.Float32())
	}
	return e
}

func (e *noise) Add(game.State) { e.n++ }

func (e *noise) Evaluate() (search.Evaluations, error) {
	n := e.n
	e.n = 0
	if (e.next+n)*e.evaluations.Players > len(e.evaluations.Values) {
		e.next = 0
	}
	e.next += n
	return e.evaluations.Slice(e.next-n, e.next), nil
}

// BenchmarkDescent5x5x3 and the benchmarks after it measure the cost of a search per evaluated
// state, from the empty board.
func BenchmarkDescent5x5x3(b *testing.B) {
	benchmarkSearch(b, descent.Options{Iterations: 20}, func(g game.Game) search.Evaluator {
		return search.NewConstant(g, 1.0/3)
	})
}

func BenchmarkDescentNoise5x5x3(b *testing.B) {
	benchmarkSearch(b, descent.Options{Iterations: 20}, func(g game.Game) search.Evaluator {
		return newNoise(g, 1)
	})
}

func BenchmarkUBFM5x5x3(b *testing.B) {
	benchmarkSearch(b, descent.Options{BestFirst: true, Iterations: 1000},
		func(g game.Game) search.Evaluator { return search.NewConstant(g, 1.0/3) })
}

func BenchmarkUBFMNoise5x5x3(b *testing.B) {
	benchmarkSearch(b, descent.Options{BestFirst: true, Iterations: 1000},
		func(g game.Game) search.Evaluator { return newNoise(g, 1) })
}

func benchmarkSearch(b *testing.B, o descent.Options, evaluator func(game.Game) search.Evaluator) {
	g := game.Must(game.New("go:size=5,players=3"))
	tree := descent.New(g, o, random.New(1, random.Test))
	e := evaluator(g)
	s := g.NewState()
	b.ReportAllocs()
	leaves := 0
	for b.Loop() {
		tree.Start(s)
		search.Run(tree, e)
		leaves += tree.Stats().Evaluations
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(leaves), "ns/leaf")
	b.ReportMetric(float64(tree.Stats().Evaluations)/float64(max(1, tree.Stats().Simulations)),
		"leaves/iteration")
}

// BenchmarkDescentGame5x5x3 plays games as self-play does, 180 iterations a move,
// with the tree kept and all its states collected.
func BenchmarkDescentGame5x5x3(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	rng := random.New(3, random.Test)
	for _, bf := range []bool{false, true} {
		b.Run(map[bool]string{false: "descent", true: "ubfm"}[bf], func(b *testing.B) {
			tree := descent.New(g, descent.Options{BestFirst: bf, Iterations: 180}, rng)
			e := newNoise(g, 1)
			s, first := g.NewState(), g.NewState()
			b.ReportAllocs()
			leaves, states, forgotten, plies, most := 0, 0, 0, 0, 0
			for b.Loop() {
				s.CopyFrom(first)
				for tree.Start(s); s.CurrentPlayer() != game.Nobody; plies++ {
					search.Run(tree, e)
					leaves += tree.Stats().Evaluations
					most = max(most, tree.Stats().Nodes)
					a := tree.Ordinal(0.5, rng)
					s.Apply(a)
					tree.Play(a)
				}
				for _, sub := range tree.Subtrees() {
					states += len(sub.Actions)
				}
				forgotten += int(tree.Stats().Forgotten)
			}
			n := float64(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(leaves), "ns/leaf")
			b.ReportMetric(float64(leaves)/n, "leaves/game")
			b.ReportMetric(float64(states)/n, "states/game")
			b.ReportMetric(float64(forgotten)/n, "forgotten/game")
			b.ReportMetric(float64(plies)/n, "plies/game")
			b.ReportMetric(float64(most), "nodes")
		})
	}
}
