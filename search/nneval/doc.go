// Package nneval joins networks to searches: it describes the network that a
// game needs ([Spec]), and lets a network evaluate the leaves of searches
// ([Network]).
//
//	weights := nn.Fold(params)
//	e := evaluate.NewNetwork(g, nn.NewEvaluator(weights), 64)
//	search.Run(tree, e)
//
// With [Options] a Network answers from a [Cache] for observations that were
// evaluated before with the same weights, and evaluates each position in its
// canonical orientation. A cache changes no result: games are the same with and
// without it, to the bit. Canonical orientations do where the network is not
// symmetric itself, and are the same with and without a cache too.
//
// The cache is keyed on the observation, all that the network sees, not on
// State.Hash, in which the history of superko makes every position another. It is
// one for all workers: what one has evaluated serves the others, and a lock for
// each of its 64 parts is met far more rarely than a network's evaluation is
// made. Observations of zeros and ones are packed into bits, and compared in full:
// no hash collision can give out another position's row.
//
// It stands between packages that know nothing of each other: a search hands
// out states, a network knows arrays of numbers.
package nneval
