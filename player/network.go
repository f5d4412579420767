package player

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/mcts"
	"tengen/nn"
	"tengen/search"
	"tengen/search/nneval"
)

// Network is PUCT guided by a network, as AlphaZero plays: no root noise, and
// after the opening the most visited action. Of games with hidden information
// it searches information sets (mcts.NewInfoSetsPUCT).
type AlphaZero struct {
	Label   string // how the weights are named: a path
	Weights nn.Network
	// Params are what Weights were made of, where Parse made the player: see On.
	Params *nn.Params
	// PassedOver are newer checkpoints that were found damaged, for whoever
	// asked for the player to be told.
	PassedOver []error
	PUCT       mcts.PUCT // Noise is not used
	// Time bounds a move by the clock; 0: no limit. With it, PUCT.Simulations
	// may be 0: as many as it allows.
	Time time.Duration
	// Canonical evaluates each position in its canonical orientation.
	Canonical bool
	// Temperature and Plies: the first Plies actions of a game are drawn with
	// probability proportional to visits^(1/Temperature), so that games differ.
	Temperature float64
	Plies       int
}

// Name is the player as Parse reads it.
func (n *AlphaZero) Name() string {
	name := fmt.Sprintf("az:%s,%s,c=%g", n.Label, budget(n.PUCT.Simulations, n.Time), n.PUCT.C) + observersKey(n.PUCT.Observers)
	if n.Temperature > 0 && n.Plies > 0 {
		name += fmt.Sprintf(",temperature=%g,plies=%d", n.Temperature, n.Plies)
	}
	return name
}

// Timed implements Timed.
func (n *AlphaZero) Timed() bool { return n.Time > 0 }

// NewEvaluator makes an evaluator on the player's weights.
func (n *AlphaZero) NewEvaluator(g game.Game, capacity int) search.Evaluator {
	return nneval.NewWith(g, n.Weights.NewEvaluator(), capacity, nneval.Options{Canonical: n.Canonical})
}

// NewSeat makes a seat.
func (n *AlphaZero) NewAgent(g game.Game) Agent {
	o := n.PUCT
	o.Noise = mcts.Noise{}
	if simulations, nodes := room(o.Simulations, n.Time); nodes > 0 {
		o.Simulations, o.MaxNodes = simulations, nodes
	}
	if _, hidden := g.NewState().(game.ImperfectInformation); hidden {
		tree := mcts.NewInfoSetsPUCT(g, o, nil)
		tree.SetTime(n.Time)
		return &networkInfoSetSeat{
			keeper: keeper{search: tree, start: func(s game.State, _ int) { tree.Start(s) }},
			player: n, game: g, tree: tree,
		}
	}
	tree := mcts.NewPUCT(g, o, nil)
	tree.SetTime(n.Time)
	return &networkSeat{
		keeper: keeper{search: tree, start: func(s game.State, _ int) { tree.Start(s) }},
		player: n, game: g, tree: tree,
	}
}

type networkSeat struct {
	keeper
	player *AlphaZero
	game   game.Game
	tree   *mcts.Tree
	rng    *rand.Rand
}

func (n *networkSeat) Begin(rng *rand.Rand) {
	n.rng = rng
	n.tree.SetRand(rng)
	n.begin()
}

func (n *networkSeat) Think(s game.State, requests search.Requests) (game.Action, bool) {
	switch {
	case !n.think(s, requests):
		return game.NoAction, false
	case n.ply < n.player.Plies:
		return n.tree.Choose(n.player.Temperature, n.rng), true
	}
	return n.tree.Best(), true
}

// View implements Analyzer.
func (n *networkSeat) Analysis() Analysis { return viewOf(n.game, n.tree) }

// Tree implements Searching.
func (n *networkSeat) Tree() *mcts.Tree { return n.tree }

// FPU reads the value of unvisited actions as configurations name it:
// "zero", or "parent" with a reduction.
func FPU(kind string, reduction float64) mcts.FPU {
	if kind == "parent" {
		return mcts.ParentReduction(reduction)
	}
	return mcts.Zero()
}
