// Package abstraction finds representative moves without knowledge of the game:
// classes of similar actions by clustering, and for each class in a position one
// action that stands for it. Taucer, Polk and Oommen (AIAI 2018), who chose their
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
// [Learn] plays random games, collects the feature vectors (game.Features) of
// actions that were legal in them, each as often as it is met, scales every
// feature to a standard deviation of one and every vector to length one, and clusters
// these directions by k-means ([KMeans]; on directions Dhillon and Modha 2001):
// what an action does decides its class, not how much of it. The number of
// classes is chosen by their silhouettes ([Silhouette]) unless it is given.
// [Classes.Random] makes as many classes that mean nothing, to which feature
// vectors belong by lot. A game is asked for nothing but its rules and its
// features.
//
// # The derived game
//
// [New] makes of a game and classes a game.Abstraction. In its derived game the
// legal actions of a player are the medoids of the classes that are there: of the
// legal actions of each class the one whose scaled features have the least sum
// of squared distances to the others', the first among equals. Everything else, chance included, is
// as in the original, so that any search plays it, and its actions are actions
// of the original: to realise one is to play it. Observations are the original's
// too; a network trained on the original guides a search of the derived game, its
// policy taken over the actions that are left.
//
// With [Options].Full the classes begin to stand for actions some turns after the position
// that is abstracted, so that a search weighs all that its player can do now,
// but looks further along representatives only.
//
// # Caveats
//
// Two actions with the same features are the same to a classification, and only
// one of them stays, whatever they do later. States of the derived game are not
// game.Undoers, and its heuristics lack the shortcut LastTurn, which would value actions that
// are left out. Playouts are the original's.
package abstraction
