package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/replay"
	"tengen/search"
)

// guided is PUCT, by a tree of states or by information sets.
type guided interface {
	search.Search
	SetRand(rng *rand.Rand)
	SetNoise(on bool)
	SetSimulations(n int)
	Stats() mcts.Stats
	Value(dst []float32)
	Children(dst []mcts.Child) []mcts.Child
	Choose(temperature float64, rng *rand.Rand) game.Action
}

// alphaZero is a learner that searches with PUCT, as AlphaZero does.
type alphaZero struct {
	settings *Settings
	counters *Counters
	tree     guided
	rng      *rand.Rand
	plies    int  // of the game so far
	hidden   bool // the game hides information: every search starts anew
	rooted   bool // the tree follows the game
	full     bool // the search under way is a full one
	children []mcts.Child
}

func newAlphaZero(w *worker) *alphaZero {
	s := w.settings
	_, hidden := s.Game.NewState().(game.ImperfectInformation)
	z := &alphaZero{settings: s, hidden: hidden, counters: w.counters}
	if hidden {
		z.tree = mcts.NewInfoSetsPUCT(s.Game, s.PUCT, nil)
	} else {
		z.tree = mcts.NewPUCT(s.Game, s.PUCT, nil)
	}
	return z
}

func (z *alphaZero) begin(_ game.State, rng *rand.Rand) {
	z.rng, z.plies, z.rooted = rng, 0, false
	z.tree.SetRand(rng)
}

func (z *alphaZero) think(state game.State) {
	s := z.settings
	z.full = s.FastSimulations == 0 || z.rng.Float64() < s.FullProbability
	z.tree.SetNoise(z.full)
	z.tree.SetSimulations(s.PUCT.Simulations)
	if !z.full {
		z.tree.SetSimulations(s.FastSimulations)
	}
	if !z.rooted {
		z.tree.Start(state)
		z.rooted = true
	}
}

func (z *alphaZero) advance(requests search.Requests) bool { return z.tree.Advance(requests) }

func (z *alphaZero) deliver(evaluations search.Evaluations) { z.tree.Deliver(evaluations) }

func (z *alphaZero) decide(m *replay.Move) {
	s := z.settings
	stats := z.tree.Stats()
	z.counters.simulated(stats.Simulations)
	z.counters.searched(SearchStats{Depth: stats.MaxDepth, Fast: !z.full, Capped: stats.Full})
	temperature := s.LateTemperature
	if z.plies < s.TemperaturePlies {
		temperature = s.Temperature
	}
	m.Action = z.tree.Choose(temperature, z.rng)
	z.tree.Value(m.Value)
	if z.full {
		z.children = z.tree.Children(z.children[:0])
		m.Visits = visits(z.children)
	}
}

func (z *alphaZero) played(a game.Action) {
	switch {
	case z.hidden:
		z.rooted = false
	case z.rooted:
		z.tree.Play(a)
	}
	z.plies++
}

func (*alphaZero) end(*replay.Game, game.State) {}
