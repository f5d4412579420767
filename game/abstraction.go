package game

// Abstracted is a Game that has an abstraction: a smaller game that stands for
// it in a search, such as that of representative moves (Taucer, Polk and
// Oommen, AIAI 2018). Abstraction is nil where the game is itself the smaller
// one.
type Abstracted interface{ Abstraction() Abstraction }

// Abstraction maps the states of a game to those of a derived game, and actions
// back. It is safe for concurrent use. To play by it: search the image of the
// position, realise the action found, play it, and start again, from the real
// position, with the next action.
type Abstraction interface {
	// Game is the derived game. Its states are made by NewState, copied and
	// searched as those of any game.
	Game() Game
	// Abstract makes dst, a state of the derived game, the image of src, a
	// state of the original one in which a player is to move. The mover is the
	// same, and so is the turn. It does not allocate.
	Abstract(dst, src State)
	// Realise is the legal action of src for which a, a legal action of its
	// image, stands.
	Realise(src State, a Action) Action
}

// Features is a Game that describes actions by vectors of numbers, from which
// classes of similar actions can be found without knowledge of the game. The
// vectors stand for what an action does, not for how it is written.
type Features interface {
	// FeatureNames names the numbers of a vector.
	FeatureNames() []string
	// Describe writes the numbers for a, a legal action of s, to
	// dst[0:len(FeatureNames())]. It does not allocate.
	Describe(dst []float32, s State, a Action)
}
