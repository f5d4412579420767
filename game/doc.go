// Package game says what a game is: the two interfaces that every game
// implements, the optional abilities that some games add, and the registry in
// which a game is found by a name such as
//
//	game.New("go:size=5,players=3,komi=[0,0,0]")
//
// A [Game] holds the immutable facts of one rule set and may be shared by all
// goroutines. A [State] is one position: mutable, cheap to copy, owned by one
// goroutine, and free of randomness: where chance decides, the state says so
// ([Chance] is to move) and lists the outcomes ([Chancer]).
//
// Utilities are what searches maximise: one number in [0, 1] for each player.
// A search compares [State.CurrentPlayer] at every step; it never assumes that players
// alternate, that there are two of them, or that one's gain is another's loss.
//
// Package game knows nothing of search, networks or self-play, and of no
// particular game. Games live in the folders below this one and register
// themselves; importing tengen/game/all brings in every one. Each passes the
// conformance suite in tengen/game/gametest.
//
//	g, err := game.New("go:size=5,players=3")
//	s := g.NewState()
//	for s.CurrentPlayer() != game.Nobody {
//		actions = s.Legal(actions[:0])
//		s.Apply(actions[rng.IntN(len(actions))])
//	}
//	s.Returns(utilities)
package game
