package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
)

// alphaZero is a networkAgent that searches with PUCT, as AlphaZero does, or with Gumbel at the
// root.
type alphaZero struct {
	settings *Settings
	counters *Counters
	tree     player.Tree
	draws    *player.BeliefDraws // nil: determinizations are drawn uniformly
	believer *player.Believer    // nil: the network has no belief
	rng      *rand.Rand
	children []search.Child

	plies  int  // of the game so far, without those of its opening
	rooted bool // the tree follows the game
	busy   bool // a search is under way
	full   bool // it is a full one
}

func newAlphaZero(w *worker) *alphaZero {
	s := w.settings
	tree := player.NewPUCT(s.Game, s.PUCT, s.Observers)
	if s.Inference > 0 {
		var err error
		if tree, err = player.Infer(s.Game, tree, s.Inference, s.PUCT.MaxBatchSize()); err != nil {
			panic("selfplay: checked settings were refused: " + err.Error())
		}
	}
	z := &alphaZero{settings: s, counters: w.counters, tree: tree}
	if s.Belief > 0 {
		var err error
		if z.draws, err = player.NewBeliefDraws(s.Game, tree, s.Belief); err != nil {
			panic("selfplay: checked settings were refused: " + err.Error())
		}
	}
	return z
}

// Begin implements player.Agent.
func (z *alphaZero) Begin(rng *rand.Rand) {
	z.rng, z.plies, z.rooted, z.busy = rng, 0, false, false
	z.tree.SetRand(rng)
}

// Think implements player.Agent.
func (z *alphaZero) Think(state game.State, requests search.Requests) (game.Action, bool) {
	if !z.busy {
		z.start(state)
	}
	if z.busy = !z.tree.Advance(requests); z.busy {
		return game.NoAction, false
	}
	s := z.settings
	stats := z.tree.Stats()
	z.counters.simulated(stats.Simulations)
	z.counters.searched(SearchStats{Depth: stats.MaxDepth, Fast: !z.full, Full: stats.Full})
	temperature := s.LateTemperature
	if z.plies < s.TemperaturePlies {
		temperature = s.Temperature
	}
	a := z.tree.Choose(temperature, z.rng)
	if s.Epsilon > 0 && z.rng.Float64() < s.Epsilon {
		z.children = z.tree.Children(z.children[:0])
		a = z.children[z.rng.IntN(len(z.children))].Action
	}
	return a, true
}

// start starts the search of a position.
func (z *alphaZero) start(state game.State) {
	s := z.settings
	z.full = s.FastSimulations == 0 || z.rng.Float64() < s.FullProbability
	// Gumbel's choice is a sample by its noise, in cheap searches too, where PUCT has a
	// temperature.
	z.tree.SetNoise(z.full || s.gumbel())
	z.tree.SetSimulations(s.PUCT.Simulations)
	if !z.full {
		z.tree.SetSimulations(s.FastSimulations)
	}
	if z.draws != nil {
		z.draws.Believe(z.believer, state)
	}
	if !z.rooted {
		z.tree.Start(state)
		z.rooted = true
	}
}

// Deliver implements player.Agent.
func (z *alphaZero) Deliver(evaluations search.Evaluations) { z.tree.Deliver(evaluations) }

// Played implements player.Agent.
func (z *alphaZero) Played(a game.Action) {
	switch {
	case a == game.NoAction:
		z.rooted = false
	case z.rooted:
		z.tree.Play(a)
	}
	z.plies++
}

func (z *alphaZero) record(m *record.Move) {
	z.tree.Value(m.Value)
	if !z.full {
		return
	}
	z.children = z.tree.Children(z.children[:0])
	if z.settings.gumbel() {
		m.Visits, m.Policy = improved(z.children)
	} else {
		m.Visits = visits(z.children)
	}
}

func (*alphaZero) follow(*Job) {}

func (z *alphaZero) believe(x *player.Believer) { z.believer = x }

// opened counts plies anew, so that games from the same position differ.
func (z *alphaZero) opened() { z.plies = 0 }

func (*alphaZero) finish(*record.Game) {}

// leastPolicy is the least probability that is recorded for an action without visits.
const leastPolicy = 1e-5

// improved returns the children that were visited or that the improved policy may choose, with
// their visits and probabilities.
func improved(children []search.Child) (visits []record.Visit, policy []float32) {
	listed := func(c *search.Child) bool { return c.Visits > 0 || c.Improved >= leastPolicy }
	n := 0
	for i := range children {
		if listed(&children[i]) {
			n++
		}
	}
	visits, policy = make([]record.Visit, 0, n), make([]float32, 0, n)
	for i := range children {
		if c := &children[i]; listed(c) {
			visits = append(visits, record.Visit{Action: c.Action, N: uint32(c.Visits)})
			policy = append(policy, c.Improved)
		}
	}
	return visits, policy
}
