// Package search defines the protocol that all searches share.
//
// A search never sees a network. It works until it needs positions evaluated, adds them to
// [Requests], and is given their [Evaluations]; random playouts, heuristics, tables in tests
// and networks are interchangeable. Since [Search] is resumable, one goroutine can drive many
// searches and evaluate the states of all of them in one batch, as self-play does ([Drive]).
// [Run] drives one search with an [Evaluator] and blocks. All searches have the same interface
// for their [Result].
//
//	err := search.Run(tree, search.NewPlayouts(g, rng))
//	action := tree.Best()
//
// Package search knows games, and nothing of networks or self-play.
package search
