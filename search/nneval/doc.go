// Package nneval evaluates the requests of searches with networks. It also
// describes the network that a game needs ([Spec]).
//
//	weights := nn.Fold(params)
//	e := nneval.New(g, weights.NewEvaluator(), 64, nneval.Options{})
//	err := search.Run(tree, e)
//
// With [Options] an [Evaluator] looks up observations in a [Cache] of those that
// were evaluated before with the same weights, and evaluates each position in its
// canonical orientation. A cache changes no result: games are the same with and
// without it, to the bit. Canonical orientations change results where the network
// is not symmetric, and are the same with and without a cache too.
//
// The key of the cache is the observation, all that the network sees. It is not
// State.Hash, which with superko differs in almost all positions. All workers share
// one cache. It has 64 parts, each with a lock: a lock is contended far more rarely
// than a network is evaluated. Observations of zeros and ones are packed into bits.
// Keys are compared in full, so a hash collision can't return the row of another
// position.
//
// The packages on both sides don't know each other: a search adds states, and a
// network reads arrays of numbers.
package nneval
