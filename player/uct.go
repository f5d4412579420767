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

// UCT is Multiplayer UCT with random playouts, one a simulation.
type UCT struct {
	Simulations int           // a move; 0: as many as Time allows
	Time        time.Duration // a move; 0: no limit
	C           float64       // exploration constant
	Utility     string        // Points or Unit
}

// Name is the player as Parse reads it.
func (u UCT) Name() string {
	return fmt.Sprintf("uct:%s,c=%g,utility=%s", budget(u.Simulations, u.Time), u.C, u.Utility)
}

// Timed implements Timed.
func (u UCT) Timed() bool { return u.Time > 0 }

// NewEvaluator is nil: a seat plays its playouts itself.
func (u UCT) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewSeat makes a seat.
func (u UCT) NewSeat(g game.Game) Seat {
	scale := 1.0
	if u.Utility == Points {
		scale = game.PointsPerUtility(g)
	}
	o := mcts.UCT{C: u.C, Scale: scale}
	o.Simulations, o.MaxNodes = room(u.Simulations, u.Time)
	tree := mcts.NewUCT(g, o, nil)
	tree.SetTime(u.Time)
	return &uctSeat{
		tree:     tree,
		playouts: search.NewPlayouts(g, nil),
		game:     g,
	}
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

func (u *uctSeat) Think(s game.State, _ search.Leaves) (game.Action, bool) {
	u.tree.Start(s)
	search.Run(u.tree, u.playouts)
	return u.tree.Best(), true
}

func (u *uctSeat) Deliver(search.Rows)            {}
func (u *uctSeat) Played(game.State, game.Action) {}

// View implements Viewer.
func (u *uctSeat) View() View { return viewOf(u.game, u.tree) }

// Tree implements Searching.
func (u *uctSeat) Tree() *mcts.Tree { return u.tree }
