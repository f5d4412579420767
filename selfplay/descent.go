package selfplay

import (
	"math/rand/v2"

	"tengen/descent"
	"tengen/game"
	"tengen/replay"
	"tengen/search"
)

// How a move is drawn from what a search of Descent found.
const (
	Ordinal = "ordinal" // by the ordinal law; Job.Exploration is its ε', from 0 (uniform) to 1 (greedy)
	Epsilon = "epsilon" // uniformly with probability Job.Exploration, else the best
	Greedy  = "none"    // the best
)

// Descent says how seats of the network play that learn by Descent.
type Descent struct {
	Search      descent.Options
	Exploration string // Ordinal, Epsilon or Greedy
	Trees       bool   // records keep the states of the searches' trees, for tree learning
}

// descents is a learner that searches with Descent or unbounded best-first minimax.
type descents struct {
	settings *Settings
	explore  float64
	counters *Counters
	tree     *descent.Tree
	rng      *rand.Rand
	plies    int           // of the game so far
	dropped  []replay.Tree // states that the tree made room of
	counted  int           // iterations of the search under way that the counters know of
}

func newDescent(w *worker) *descents {
	s := w.settings
	d := &descents{settings: s, explore: w.job.Exploration, counters: w.counters, tree: descent.New(s.Game, s.Descent.Search, nil)}
	if s.Descent.Trees {
		d.tree.OnForget(func(dropped []descent.Subtree) {
			for _, t := range dropped {
				d.dropped = append(d.dropped, replay.Tree(t))
			}
		})
	}
	return d
}

func (d *descents) begin(first game.State, rng *rand.Rand) {
	d.rng, d.plies, d.dropped = rng, 0, nil
	d.tree.SetRand(rng)
	d.tree.Start(first)
}

func (d *descents) think(game.State) { d.counted = 0 }

// advance counts iterations as they end: a search may have many, and last long.
func (d *descents) advance(requests search.Requests) bool {
	done := d.tree.Advance(requests)
	n := d.tree.Stats().Simulations
	d.counters.simulated(n - d.counted)
	d.counted = n
	return done
}

func (d *descents) deliver(evaluations search.Evaluations) { d.tree.Deliver(evaluations) }

func (d *descents) decide(m *replay.Move) {
	stats := d.tree.Stats()
	if stats.Exact {
		d.counters.Resolved.Add(1)
	}
	if stats.Full {
		d.counters.Full.Add(1)
	}
	d.counters.searched(SearchStats{Depth: stats.MaxDepth, Resolved: stats.Exact, Full: stats.Full})
	d.tree.Value(m.Value)
	switch d.settings.Descent.Exploration {
	case Ordinal:
		m.Action = d.tree.Ordinal(d.explore, d.rng)
	case Epsilon:
		m.Action = d.tree.EpsilonGreedy(d.explore, d.rng)
	default:
		m.Action = d.tree.Best()
	}
}

func (d *descents) played(a game.Action) {
	d.tree.Play(a)
	d.plies++
}

func (d *descents) end(r *replay.Game, final game.State) {
	s := d.settings.Descent
	if t := s.Search.Terminal; t != (descent.Terminal{Result: true}) {
		r.Outcome = make([]float32, d.settings.Game.Players())
		t.Evaluate(d.settings.Game, final, d.plies, r.Outcome)
	}
	if !s.Trees {
		return
	}
	r.Trees, d.dropped = d.dropped, nil
	for _, t := range d.tree.Subtrees() {
		r.Trees = append(r.Trees, replay.Tree(t))
	}
}
