package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// BenchmarkPUCTConstant5x5x3 measures searches of 1,000 simulations from the empty board. The
// cost of a simulation depends on the shape of the tree. If an untried action looks as good as
// a tried one, the tree is broad and three to four plies deep. If untried actions have Q = 0
// and the evaluator returns 1/3, the tree follows one line deep into the game.
func BenchmarkPUCTConstant5x5x3(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, bm := range []struct {
		name    string
		utility float32
		first   mcts.FPU
	}{
		{"broad", 0, mcts.Zero()},
		{"parent", 1.0 / 3, mcts.ParentReduction(0)},
		{"reduced", 1.0 / 3, mcts.ParentReduction(0.1)},
		{"deep", 1.0 / 3, mcts.Zero()},
	} {
		b.Run(bm.name, func(b *testing.B) {
			const simulations = 1000
			tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: simulations, C: 0.8, FPU: bm.first},
				random.New(1, random.Test))
			e := search.NewConstant(g, bm.utility)
			s := g.NewState()
			b.ReportAllocs()
			for b.Loop() {
				tree.Start(s)
				search.Run(tree, e)
			}
			b.ReportMetric(simulations*float64(b.N)/b.Elapsed().Seconds(), "simulations/s")
			b.ReportMetric(tree.Stats().MeanDepth, "plies/simulation")
		})
	}
}

// BenchmarkGumbel5x5x3 measures searches of few simulations from the empty board with an evaluator
// that costs nothing, by PUCT and by Gumbel at the root.
func BenchmarkGumbel5x5x3(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, simulations := range []int{16, 200} {
		for _, bm := range []struct {
			name string
			o    mcts.PUCT
		}{
			{"puct", mcts.PUCT{C: 0.8, FPU: mcts.ParentReduction(0.1)}},
			{"improved", mcts.PUCT{Gumbel: mcts.PublishedGumbel()}},
			{"puct-below", mcts.PUCT{
				C: 0.8, FPU: mcts.ParentReduction(0.1),
				Gumbel: mcts.Gumbel{
					Considered: 16, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
				},
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", bm.name, simulations), func(b *testing.B) {
				bm.o.Simulations = simulations
				tree := mcts.NewPUCT(g, bm.o, random.New(1, random.Test))
				e := newHashed(g, 0)
				s := g.NewState()
				b.ReportAllocs()
				for b.Loop() {
					tree.Start(s)
					search.Run(tree, e)
				}
				b.ReportMetric(float64(simulations)*float64(b.N)/b.Elapsed().Seconds(),
					"simulations/s")
			})
		}
	}
}

// BenchmarkUCT180 plays whole games among three UCT players of 180 simulations
// a move.
func BenchmarkUCT180(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, scale := range []float64{1, game.PointsPerUtility(g)} {
		b.Run(fmt.Sprintf("scale=%g", scale), func(b *testing.B) {
			rng := random.New(2, random.Test)
			tree := mcts.NewUCT(g, mcts.UCT{Simulations: 180, C: 0.8, Scale: scale}, rng)
			e := search.NewPlayouts(g, rng)
			s, first := g.NewState(), g.NewState()
			b.ReportAllocs()
			plies := 0
			for b.Loop() {
				s.CopyFrom(first)
				for tree.Start(s); s.CurrentPlayer() != game.Nobody; plies++ {
					search.Run(tree, e)
					a := tree.Best()
					s.Apply(a)
					tree.Play(a)
				}
			}
			b.ReportMetric(float64(plies)/float64(b.N), "plies/game")
		})
	}
}

// table evaluates states by rows drawn in advance, one after another. It measures a search with
// network-like evaluations, without the network's time.
type table struct {
	evaluations search.Evaluations
	next        int
}

func newTable(g game.Game, rng *rand.Rand) *table {
	const n = 1000
	e := &table{evaluations: search.Evaluations{Actions: g.Actions(), Players: g.Players()}}
	for range n * g.Actions() {
		e.evaluations.Policy = append(e.evaluations.Policy, float32(rng.NormFloat64()))
	}
	for range n * g.Players() {
		e.evaluations.Values = append(e.evaluations.Values, rng.Float32())
	}
	return e
}

func (e *table) Add(game.State) {
	e.next = (e.next + 1) % (len(e.evaluations.Values) / e.evaluations.Players)
}

func (e *table) Evaluate() (search.Evaluations, error) {
	return e.evaluations.Slice(e.next, e.next+1), nil
}

// BenchmarkPUCTTable5x5x3 plays games as self-play does, with 180 simulations a move, root
// noise and a kept tree, and evaluations that take no time.
func BenchmarkPUCTTable5x5x3(b *testing.B) {
	g := game.Must(game.New("go:size=5,players=3"))
	rng := random.New(3, random.Test)
	e := newTable(g, rng)
	tree := mcts.NewPUCT(g, mcts.PUCT{
		Simulations: 180, C: 0.8, Reuse: true,
		Noise: 0.25, FPU: mcts.ParentReduction(0.1),
	}, rng)
	s, first := g.NewState(), g.NewState()
	b.ReportAllocs()
	evaluations, simulations := 0, 0
	for b.Loop() {
		s.CopyFrom(first)
		for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
			search.Run(tree, e)
			evaluations += tree.Stats().Evaluations
			simulations += tree.Stats().Simulations
			a := tree.Choose(1, rng)
			s.Apply(a)
			tree.Play(a)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(evaluations), "ns/evaluation")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(simulations), "ns/simulation")
}
