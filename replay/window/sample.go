package window

import (
	"tengen/replay/record"
)

// Sample is a position to train on: one of a game, in which a player had several legal
// actions, one in which an outcome of chance was due (Config.Afterstates), or a state of one of its
// trees.
//
// A sample of a game's own position can be made by setting Game and Ply. Samples of
// trees come only from a Window, which has checked the tree; they are valid for
// encoders of the game that the window was made with.
type Sample struct {
	Game *record.Game
	tree *record.IndexedTree // nil for a position of the game itself
	// the position is the one before this ply; for a tree, that of its root
	Ply int32
	// State is the index in the tree, from 0; 0 for a position of the game itself.
	State int32
}
