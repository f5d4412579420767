// Package evaluate joins networks to searches: it describes the network that a
// game needs ([Spec]), and lets a network evaluate the leaves of searches
// ([Network]).
//
//	weights := nn.Fold(params)
//	e := evaluate.NewNetwork(g, nn.NewEvaluator(weights), 64)
//	search.Run(tree, e)
//
// It stands between packages that know nothing of each other: a search hands
// out states, a network knows arrays of numbers.
package evaluate
