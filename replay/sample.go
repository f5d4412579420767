package replay

// Sample is a position from which something can be learned: one of a game, in
// which a player chose among several actions, or a state of one of its trees.
//
// The fields name a game's own position, and may be filled in by hand. Samples
// of trees come from a Window alone, which has checked the tree; they are good
// for encoders of the Game value that the window was made with.
type Sample struct {
	Game *Game
	tree *indexedTree // nil: a position of the game itself
	Ply  int32        // the position before this ply of the game; in a tree: the root's
	// State is the place in the tree, from 0; 0 for a position of the game itself.
	State int32
}
