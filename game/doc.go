// Package game defines what a game is: the two interfaces that every game implements,
// the optional abilities that some games add, and a registry that finds a game by a
// name such as
//
//	game.New("go:size=5,players=3,komi=[0,0,0]")
//
// A [Game] holds the immutable facts of one rule set and may be shared by all
// goroutines. A [State] is one position. It is mutable, cheap to copy, owned by one
// goroutine, and contains no randomness: at a chance node the current player is
// [Chance], and the state lists the possible outcomes ([Chancer]).
//
// Searches maximise utilities: one number in [0, 1] for each player. A search asks for
// [State.CurrentPlayer] at every step. It must not assume that players alternate, that
// there are two of them, or that utilities have a constant sum.
//
// Package game does not depend on search, networks, self-play or any particular game.
// Games live in the folders below this one and register themselves; importing
// tengen/game/all registers all of them. Every game passes the conformance suite in
// tengen/game/gametest.
//
//	g, err := game.New("go:size=5,players=3")
//	s := g.NewState()
//	for s.CurrentPlayer() != game.Nobody {
//		actions = s.LegalActions(actions[:0])
//		s.Apply(actions[rng.IntN(len(actions))])
//	}
//	s.Returns(utilities)
package game
