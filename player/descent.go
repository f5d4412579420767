package player

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"tengen/configs"
	"tengen/descent"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// Descent is unbounded best-first minimax, or Descent, guided by the values of a network. It
// does not use the network's policy, and draws only among actions of equal rank.
type Descent struct {
	Label      string // names the weights: a path
	Weights    nn.Network
	Params     *nn.Params // as in AlphaZero
	PassedOver []error    // as in AlphaZero
	Options    descent.Options
	Clock      *GameClock // nil: none; with it Options may have no budget
	// Safe plays the most visited action (safe decision, Cohen-Solal 2020)
	// instead of the one with the greatest value.
	Safe bool
	// Canonical evaluates each position in its canonical orientation.
	Canonical bool
	// Cache, if not nil, holds evaluations of Weights.
	Cache *nneval.Cache
	// SelfPlay, if not nil, makes the player an Actor: Weights, Safe and Clock are not used.
	SelfPlay *DescentSelfPlay

	full atomic.Int64
}

// DescentSelfPlay is how Descent explores in the games of self-play, and what they record.
type DescentSelfPlay struct {
	Ordinal bool // actions are drawn by the ordinal law (Conditions.Greed); else the best is played
	Trees   bool // records keep the states of the searches' trees, for tree learning
}

// Full returns the number of decisions so far, of all agents, whose searches
// were cut short by Options.MaxNodes.
func (d *Descent) Full() int { return int(d.full.Load()) }

// Name implements Player.
func (d *Descent) Name() string {
	name := "descent:" + notation.Quote(d.Label)
	if d.Options.BestFirst {
		name = "ubfm:" + notation.Quote(d.Label)
	}
	name += "," + budget("iterations", d.Options.Iterations, d.Options.Time, d.Clock)
	if d.Options.MaxNodes > 0 {
		name += fmt.Sprintf(",max_nodes=%d", d.Options.MaxNodes)
	}
	return name + fmt.Sprintf(",safe=%v", d.Safe)
}

// Timed implements Timed.
func (d *Descent) Timed() bool { return d.Options.Time > 0 || d.Clock != nil }

// GameClock implements Clocked.
func (d *Descent) GameClock() *GameClock { return d.Clock }

// NewEvaluator makes an evaluator on the player's weights, with room for all
// children of one state of each agent.
func (d *Descent) NewEvaluator(g game.Game, capacity int) search.Evaluator {
	e, _, _ := d.EvaluatorOn(g, d.Weights, d.Weights.NewEvaluator(), capacity, d.Label)
	return e
}

// EvaluatorOn implements Actor.
func (d *Descent) EvaluatorOn(
	g game.Game, w nn.Network, e nn.Evaluator, capacity int, name string,
) (s search.Evaluator, network *nneval.Evaluator, rows int) {
	return nneval.ForSearch(g, e, capacity*d.MaxBatchSize(g), nneval.Options{
		Name: name, Canonical: d.Canonical, Cache: d.Cache, Weights: w,
	}, false)
}

// MaxBatchSize implements Actor: all children of one state.
func (d *Descent) MaxBatchSize(g game.Game) int { return g.Actions() }

// Check implements Actor.
func (d *Descent) Check(g game.Game) error { return descent.Check(g, d.Options) }

// NewAgent implements Player.
func (d *Descent) NewAgent(g game.Game) Agent {
	tree := descent.New(g, d.options(), nil)
	a := &descentAgent{
		searched: searched{g.Players(), tree},
		treeFollower: treeFollower{
			search: tree, start: tree.StartAfter,
			timekeeper: newTimekeeper(g, d.Clock, EarlyNever, tree),
		},
		player: d, game: g, tree: tree,
	}
	if x := d.SelfPlay; x != nil {
		a.initial = g.NewState()
		if x.Trees {
			tree.OnForget(func(dropped []descent.Subtree) {
				a.dropped = appendTrees(a.dropped, dropped)
			})
		}
	}
	return a
}

// options returns those of the search, which needs a budget besides the clock.
func (d *Descent) options() descent.Options {
	o := d.Options
	if o.Iterations == 0 && o.Time == 0 && d.Clock != nil {
		o.Time = maxTime
	}
	return o
}

type descentAgent struct {
	searched
	treeFollower
	player *Descent
	game   game.Game
	tree   *descent.Tree
	rng    *rand.Rand

	// In self-play.
	initial game.State
	greed   float64       // Conditions.Greed
	dropped []record.Tree // states that were dropped from the tree
}

// Begin implements Agent. In self-play the tree follows the game from its beginning, from which
// record.Tree counts.
func (d *descentAgent) Begin(rng *rand.Rand) {
	d.rng, d.dropped = rng, nil
	d.tree.SetRand(rng)
	d.begin()
	if d.initial != nil {
		d.setRoot(d.initial)
	}
}

func (d *descentAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	if !d.think(s, requests) {
		return game.NoAction, false
	}
	if d.tree.Stats().Full {
		d.player.full.Add(1)
	}
	switch x := d.player.SelfPlay; {
	case x != nil && x.Ordinal:
		return d.tree.Ordinal(d.greed, d.rng), true
	case x == nil && d.player.Safe:
		return d.tree.Safe(), true
	}
	return d.tree.Best(), true
}

// Prepare implements ActorAgent.
func (d *descentAgent) Prepare(c Conditions) { d.greed = c.Greed }

// Target implements Targeter.
func (d *descentAgent) Target(m *record.Move) (full bool) {
	d.tree.Value(m.Value)
	return true
}

// Finish implements ActorAgent: it adds the value of the end of the game, if that is not the
// utility, and the trees.
func (d *descentAgent) Finish(r *record.Game, final game.State) {
	if t := d.player.Options.Terminal; t != (descent.Terminal{Result: true}) {
		r.Outcome = make([]float32, d.game.Players())
		t.Evaluate(d.game, final, len(r.Moves), r.Outcome)
	}
	if !d.player.SelfPlay.Trees || !slices.ContainsFunc(r.Seats, func(s record.SeatRecord) bool {
		return s.Kind == record.Network
	}) {
		return
	}
	r.Trees, d.dropped = appendTrees(d.dropped, d.tree.Subtrees()), nil
}

// appendTrees appends trees that are not marked yet (record.Checker.Mark).
func appendTrees(dst []record.Tree, list []descent.Subtree) []record.Tree {
	for _, t := range list {
		dst = append(dst,
			record.Tree{Ply: t.Ply, Depths: t.Depths, Actions: t.Actions, Values: t.Values})
	}
	return dst
}

// descentParams are the keys of both.
var descentParams = []notation.Param{
	{Key: "iterations", Default: "180",
		Help: "iterations a move; no limit if only time or clock is given"},
	timeParam,
	clockParam,
	{Key: "safe", Default: "true", Help: "true: play the most visited action (safe decision); false: the one with the greatest value"},
	{Key: "max_nodes", Default: "0", Help: configs.Summary("descent.max_nodes")},
}

func newDescent(bestFirst bool) func(game.Game, *notation.Values) (Player, error) {
	return func(g game.Game, v *notation.Values) (Player, error) {
		d := &Descent{
			Label:   v.Bare,
			Options: descent.Options{BestFirst: bestFirst},
			Safe:    v.Bool("safe"),
		}
		d.Options.Iterations, d.Options.Time = readBudget(v, "iterations")
		d.Clock = readClock(v)
		c := configs.Default()
		if err := c.SetKey("descent.max_nodes", v.String("max_nodes")); err != nil {
			v.Fail("max_nodes", err.Error())
		}
		d.Options.MaxNodes = c.Descent.MaxNodes
		if v.Err() != nil {
			return nil, v.Err()
		}
		run, err := runOf(v.Bare)
		if err != nil {
			return nil, err
		}
		terminal := configs.Default().Descent.Terminal
		if run != nil {
			terminal, d.Canonical = run.Descent.Terminal, run.Search.Canonical
		}
		if d.Options.Terminal, err = descent.ParseTerminal(terminal); err != nil {
			return nil, err
		}
		if err := descent.Check(g, d.options()); err != nil {
			return nil, err
		}
		model, planes, err := load(g, v.Bare)
		if err != nil {
			return nil, err
		}
		if planes != nil {
			return nil, fmt.Errorf("%s was trained on %s, not on %s", v.Bare, model.Game, g.Name())
		}
		weights, err := fold(g, v.Bare, model, planes)
		if err != nil {
			return nil, err
		}
		d.Weights, d.Params, d.PassedOver = weights, model.Params, model.PassedOver
		return d, nil
	}
}
