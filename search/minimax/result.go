package minimax

import (
	"time"

	"tengen/game"
)

// Bound says how a value compares with what the plain search would give.
type Bound uint8

const (
	Exact Bound = iota // it is that
	Upper              // that is at most it: the action is no better than the one chosen
)

// Move is what a search found out about an action at the root.
type Move struct {
	Action game.Action
	Value  float64 // to the player to move, the action's gain included; the mean over the determinizations
	Bound  Bound
	Nodes  int64 // made below it, by all iterations
}

// Iteration is one depth of iterative deepening that was completed.
type Iteration struct {
	Depth         int
	Action        game.Action // the choice at this depth
	Value         float64
	Leaves, Nodes int64         // since the search began
	Elapsed       time.Duration // since the search began
}

// Result is what a search found out.
type Result struct {
	Action game.Action
	// Value of Action to the player to move, the mean over the determinizations.
	Value float64
	// Values are those of all players, [players], for MaxN; else nil.
	Values []float64
	// Moves are the legal actions, in ascending order.
	Moves []Move
	// Line is the principal variation, Action first: it ends where chance is to
	// move, or where the search knows a value without having searched on (by its
	// table, or the game's last-turn shortcut). With several determinizations it is Action alone.
	Line []game.Action
	// Depth is the number of turns searched completely.
	Depth int
	// Complete says that no line was cut short by the depth: Value follows from
	// finished games alone, and searching deeper changes nothing.
	Complete bool
	Leaves   int64 // positions valued, by all iterations
	Nodes    int64 // actions and outcomes made, by all iterations
	Elapsed  time.Duration
	// Iterations are the depths completed.
	Iterations []Iteration
}
