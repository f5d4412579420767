package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts/ismcts"
	"tengen/player"
	"tengen/replay"
	"tengen/search"
)

// alphaZero is a learner that searches with PUCT, as AlphaZero does.
type alphaZero struct {
	settings *Settings
	counters *Counters
	tree     player.Tree
	rng      *rand.Rand
	plies    int  // of the game so far
	hidden   bool // the game hides information: every search starts anew
	rooted   bool // the tree follows the game
	full     bool // the search under way is a full one
	children []search.Child
}

func newAlphaZero(w *worker) *alphaZero {
	s := w.settings
	_, hidden := s.Game.NewState().(game.ImperfectInformation)
	tree := player.NewPUCT(s.Game, s.PUCT, ismcts.SingleObserver)
	return &alphaZero{settings: s, hidden: hidden, counters: w.counters, tree: tree}
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
	z.counters.searched(SearchStats{Depth: stats.MaxDepth, Fast: !z.full, Full: stats.Full})
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
