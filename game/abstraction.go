package game

// Abstracted is a Game with an abstraction: a smaller game that a search uses in its
// place, such as that of representative moves (Taucer, Polk and Oommen, AIAI 2018).
// Abstraction returns nil if the game is itself the smaller one.
type Abstracted interface{ Abstraction() Abstraction }

// RootAbstracted is a Game with an abstraction in which the turn at the root keeps its
// real actions; later turns are as in Abstracted. It is nil where Abstracted has none.
type RootAbstracted interface{ RootAbstraction() Abstraction }

// Abstraction maps the states of a game to states of a derived game, and actions back.
// It is safe for concurrent use. To play by it: search the image of the position,
// realise the action found and play it; then repeat from the new real position.
type Abstraction interface {
	// Game is the derived game. It is used like any other game.
	Game() Game
	// Abstract makes dst, a state of the derived game, the image of src, a state of the
	// original game in which a player is to move. Current player and turn are the same in
	// both. It does not allocate.
	Abstract(dst, src State)
	// Realise returns the legal action of src that a, a legal action of src's image,
	// stands for.
	Realise(src State, a Action) Action
}

// Features is a Game that describes actions by feature vectors, from which classes of
// similar actions can be found without knowledge of the game. A vector describes what
// an action does.
type Features interface {
	// FeatureNames names the elements of a feature vector.
	FeatureNames() []string
	// Describe writes the features of a, a legal action of s, to
	// dst[0:len(FeatureNames())]. It does not allocate.
	Describe(dst []float32, s State, a Action)
}
