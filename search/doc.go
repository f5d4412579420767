// Package search is the protocol that all searches share.
//
// A search never sees a network. It works until it needs positions evaluated,
// hands them out ([Leaves]), and takes the evaluations in ([Rows]); random
// playouts, heuristics, tables in tests and networks are interchangeable. Since
// [Search] is resumable, one goroutine can drive many searches and evaluate the
// leaves of all of them in one batch, which is what self-play does. [Run] is
// the blocking driver for one search, with an [Evaluator].
//
// Package search knows games, and nothing of networks or self-play.
package search
