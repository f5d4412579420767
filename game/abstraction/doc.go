// Package abstraction finds representative moves without knowledge of the game: it
// clusters actions into classes of similar ones and lets one action of each class
// stand for the class in a position. Taucer, Polk and Oommen (AIAI 2018), who choose
// classes by hand, leave this to future work (their sections 3 and 8).
//
//	classes, err := abstraction.Learn(g, abstraction.Learning{}, rng)
//	x, err := abstraction.New(g, classes, abstraction.Options{})
//	image := x.Game().NewState()
//	x.Abstract(image, s)
//	s.Apply(x.Realise(s, search(image)))
//
// # Classes
//
// [Learn] plays random games and collects the feature vectors (game.Features) of the
// legal actions that occur, with repetitions. It scales every feature to a standard
// deviation of one and every vector to length one, and clusters these directions by
// k-means ([KMeans]; for directions: Dhillon and Modha 2001). So the class of an
// action depends on what it does, not on how much. The number of classes is given, or
// chosen by silhouette width ([Silhouette]). [Classes.Random] makes as many classes
// without meaning, to which feature vectors are assigned by a hash. Of the game, only
// the rules and the features are used.
//
// # The derived game
//
// [New] makes a game.Abstraction from a game and classes. In its derived game a
// player's legal actions are the medoids of the classes that occur: of each class, the
// legal action whose scaled features have the smallest sum of squared distances to
// those of the others, the first in case of a tie. Everything else, chance included,
// is as in the original game, so that any search can play the derived game. Its
// actions are actions of the original: to realise one is to play it. Its observations
// are those of the original, so that a network trained on the original can guide a
// search of the derived game, with the policy restricted to the remaining actions.
//
// With [Options].Full, all actions stay legal in the first turns after the abstracted
// position. A search then considers all present actions of its player, but only
// representatives further on.
//
// # Caveats
//
// Actions with the same features belong to the same class, and only one of them stays
// legal, even if their later effects differ. States of the derived game are not
// game.Undoers. The game lacks the shortcut LastTurn (minimax), which would consider
// actions that are left out. Playouts are those of the original.
package abstraction
