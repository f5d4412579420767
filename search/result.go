package search

import "tengen/game"

// Result is the result of a search of a position, the root. All searches implement it. Methods
// may also be called between Advance and Deliver, and return what is known so far.
type Result interface {
	// Value writes the utility that each player can expect at the root to
	// dst[0:Players], 0 where nothing is known yet.
	Value(dst []float32)
	// Children appends what is known about each legal action at the root, in
	// ascending order of the actions: nothing before the root is expanded.
	Children(dst []Child) []Child
	// Best returns the action that the search considers best, game.NoAction while Children
	// returns nothing.
	Best() game.Action
	// PrincipalVariation appends the actions that the search considers best,
	// from the root on, as far as it has looked ahead. It ends at chance nodes.
	PrincipalVariation(dst []game.Action) []game.Action
	// Stats describes the search since the last Start or Play.
	Stats() Stats
}

// Variations is a Result that knows how the search would go on after every action.
type Variations interface {
	// Variation appends the root's action a and those that the search considers best after it,
	// as far as it has looked ahead, and nothing if it has not looked at a. It ends at chance
	// nodes.
	Variation(dst []Step, a game.Action) []Step
}

// Step is one action of a variation.
type Step struct {
	Action game.Action
	Visits int // as in Child
}

// Child is the result of a search for one action at the root.
type Child struct {
	Action game.Action
	// Visits counts the simulations that took the action; in minimax, the nodes
	// below it.
	Visits int
	// Pruned counts the visits among Visits that are not to count in a policy target: those of
	// actions that are proven to be worse than another.
	Pruned int
	// Prior is PUCT's, without noise; 0 in other searches.
	Prior float32
	// Improved is the improved policy of Gumbel root search, whose sum is 1: a better policy than
	// the visits, and the target of training; 0 in other searches.
	Improved float32
	// Value is the utility of each player: the mean in Monte Carlo tree search,
	// and 0 without visits; else the minimax value.
	Value [game.MaxPlayers]float32
	// Exact means that Value is final: deeper search would not change it.
	Exact bool
	// Plies is the number of actions until the game is over, this one included, if a solver knows
	// it; 0 in other searches.
	Plies int
}

// Stats describes one search. A field that has no meaning for a search is 0.
type Stats struct {
	Simulations int     // completed; iterations in Descent
	Evaluations int     // states evaluated for the search
	Expanded    int     // states that Descent expanded
	Nodes       int     // in the tree now; in minimax, actions and outcomes made
	Kept        int     // of these, kept from the search before
	Forgotten   uint64  // states that Descent dropped since Start to make room
	MaxDepth    int     // of a simulation below the root, in actions; in decisions in Descent
	MeanDepth   float64 // of the simulations
	Turns       int     // depth completed by a search to a depth, at least 1
	Full        bool    // the tree had no room for another node
	Exact       bool    // the root's value is final
	Bytes       int     // of memory reserved for the tree
}
