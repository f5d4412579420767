package player

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tengen/game"
	"tengen/mcts"
	"tengen/search"
)

// Scales on which UCT backs up what players get.
const (
	Points = "points" // the game's raw score (0 to 25 on a 5×5 board): the paper's baseline
	Unit   = "unit"   // utilities in [0, 1]: the stronger player with the same constant
)

// UCT is Multiplayer UCT with random playouts, one a simulation; of games with
// hidden information, information-set Monte Carlo tree search (mcts.InfoSets).
type UCT struct {
	Simulations int           // a move; 0: as many as Time allows
	Time        time.Duration // a move; 0: no limit
	C           float64       // exploration constant
	Utility     string        // Points or Unit
	// Rollout, if not nil, is the strategy of the game by which playouts are
	// made, but for a part Epsilon of the actions (game.Rollout).
	Rollout *game.Strategy
	Epsilon float64
	// Observers are for games with hidden information.
	Observers mcts.Observers
}

// Name is the player as Parse reads it.
func (u UCT) Name() string {
	name := fmt.Sprintf("uct:%s,c=%g,utility=%s", budget(u.Simulations, u.Time), u.C, u.Utility)
	if u.Rollout != nil {
		name += fmt.Sprintf(",rollout=%s,epsilon=%g", u.Rollout.Name, u.Epsilon)
	}
	return name + observersKey(u.Observers)
}

// Timed implements Timed.
func (u UCT) Timed() bool { return u.Time > 0 }

// NewEvaluator is nil: a seat plays its playouts itself.
func (u UCT) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewSeat makes a seat.
func (u UCT) NewAgent(g game.Game) Agent {
	scale := 1.0
	if u.Utility == Points {
		scale = game.PointsPerUtility(g)
	}
	o := mcts.UCT{C: u.C, Scale: scale, Observers: u.Observers}
	o.Simulations, o.MaxNodes = room(u.Simulations, u.Time)
	playouts := search.NewPlayouts(g, nil)
	if u.Rollout != nil {
		playouts = search.NewRollouts(g, u.Rollout, u.Epsilon, nil)
	}
	if _, hidden := g.NewState().(game.ImperfectInformation); hidden {
		tree := mcts.NewInfoSets(g, o, nil)
		tree.SetTime(u.Time)
		return &infoSetSeat{tree: tree, playouts: playouts, game: g}
	}
	tree := mcts.NewUCT(g, o, nil)
	tree.SetTime(u.Time)
	return &uctSeat{tree: tree, playouts: playouts, game: g}
}

type uctSeat struct {
	tree     *mcts.Tree
	playouts *search.Playouts
	game     game.Game
}

func (u *uctSeat) Begin(rng *rand.Rand) {
	u.tree.SetRand(rng)
	u.playouts.SetRand(rng)
}

func (u *uctSeat) Think(s game.State, _ search.Requests) (game.Action, bool) {
	u.tree.Start(s)
	search.Run(u.tree, u.playouts)
	return u.tree.Best(), true
}

func (u *uctSeat) Deliver(search.Evaluations)     {}
func (u *uctSeat) Played(game.State, game.Action) {}

// View implements Analyzer.
func (u *uctSeat) Analysis() Analysis { return viewOf(u.game, u.tree) }

// Tree implements Searching.
func (u *uctSeat) Tree() *mcts.Tree { return u.tree }
