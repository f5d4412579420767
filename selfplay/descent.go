package selfplay

import (
	"math/rand/v2"

	"tengen/descent"
	"tengen/game"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
)

// Exploration is how a move is drawn from the result of a search of Descent.
type Exploration string

// The ways to draw a move.
const (
	// by the ordinal law; Job.Exploration is its ε', from 0 (uniform) to 1 (greedy)
	Ordinal Exploration = "ordinal"
	Greedy  Exploration = "none" // the best
)

// Descent has the settings of self-play in runs that learn by Descent.
type Descent struct {
	Search      descent.Options
	Exploration Exploration // Ordinal or Greedy
	Trees       bool        // records keep the states of the searches' trees, for tree learning
}

// outcome returns the learning target of the end of a game for each player, or nil if that is
// its utility.
func (d *Descent) outcome(g game.Game, final game.State, plies int) []float32 {
	t := d.Search.Terminal
	if t == (descent.Terminal{Result: true}) {
		return nil
	}
	values := make([]float32, g.Players())
	t.Evaluate(g, final, plies, values)
	return values
}

// descents is a networkAgent that searches with Descent or unbounded best-first minimax.
type descents struct {
	settings *Settings
	share    float64 // of exploration, as in Job
	counters *Counters
	tree     *descent.Tree
	initial  game.State
	rng      *rand.Rand
	busy     bool          // a search is under way
	dropped  []record.Tree // states that were dropped from the tree
	counted  int           // iterations of the search in progress that are counted already
}

func newDescent(w *worker) *descents {
	s := w.settings
	d := &descents{
		settings: s, counters: w.counters,
		tree: descent.New(s.Game, s.Descent.Search, nil), initial: s.Game.NewState(),
	}
	if s.Descent.Trees {
		d.tree.OnForget(func(dropped []descent.Subtree) {
			for _, t := range dropped {
				d.dropped = append(d.dropped, record.Tree(t))
			}
		})
	}
	return d
}

// Begin implements player.Agent.
func (d *descents) Begin(rng *rand.Rand) {
	d.rng, d.dropped, d.busy = rng, nil, false
	d.tree.SetRand(rng)
	d.tree.Start(d.initial)
}

// Think implements player.Agent. It counts iterations as they end: a search may have many
// and take long.
func (d *descents) Think(_ game.State, requests search.Requests) (game.Action, bool) {
	if !d.busy {
		d.counted = 0
	}
	d.busy = !d.tree.Advance(requests)
	stats := d.tree.Stats()
	d.counters.simulated(stats.Simulations - d.counted)
	d.counted = stats.Simulations
	if d.busy {
		return game.NoAction, false
	}
	if stats.Exact {
		d.counters.Resolved.Add(1)
	}
	if stats.Full {
		d.counters.Full.Add(1)
	}
	d.counters.searched(SearchStats{Depth: stats.MaxDepth, Resolved: stats.Exact, Full: stats.Full})
	if d.settings.Descent.Exploration == Ordinal {
		return d.tree.Ordinal(d.share, d.rng), true
	}
	return d.tree.Best(), true
}

// Deliver implements player.Agent.
func (d *descents) Deliver(evaluations search.Evaluations) { d.tree.Deliver(evaluations) }

// Played implements player.Agent.
func (d *descents) Played(a game.Action) { d.tree.Play(a) }

func (d *descents) record(m *record.Move) { d.tree.Value(m.Value) }

func (*descents) believe(*player.Believer) {}

func (d *descents) follow(job *Job) { d.share = job.Exploration }

func (*descents) opened() {}

func (d *descents) finish(r *record.Game) {
	if !d.settings.Descent.Trees {
		return
	}
	r.Trees, d.dropped = d.dropped, nil
	for _, t := range d.tree.Subtrees() {
		r.Trees = append(r.Trees, record.Tree(t))
	}
}
