// Package nash measures how far policies are from a Nash equilibrium, in games small enough to
// enumerate, and computes equilibria of two players.
//
//	tree, err := nash.Enumerate(ctx, g, nash.DefaultLimit)
//	r := tree.NashConv(tree.Uniform())     // values, best responses, and their sum of differences
//	c := nash.NewCFR(tree)
//	c.Run(1000)
//	r = tree.NashConv(c.Average())
//
// A [Tree] holds every history of a game and the information sets of every seat. Players remember
// what they saw and did: an information set is the sequence of a seat's information state keys
// (game.ImperfectInformation), as far as they changed, and of its own actions. Where the keys
// contain all of that, as those of kuhn, leduc and phantom do, there is one set for each key, and
// [Tree.Remembers] is true. Otherwise one key, all that an agent sees, may be of several sets, and
// a best response can use what a policy can't. Games without hidden information have one set for
// each history.
//
// A [Policy] holds probabilities for each set. NashConv is the sum over the seats of what each
// would gain by a best response, if the others keep to the policy (Lanctot et al. 2017, "A Unified
// Game-Theoretic Approach to Multiagent Reinforcement Learning"); it is 0 in a Nash equilibrium and
// in no other policy. Divided by the number of seats it is called exploitability. All values are
// exact but for rounding, for any number of players, with any utilities.
//
// [CFR] is CFR+ (Tammelin 2014, "Solving Large Imperfect Information Games Using CFR+"): regrets
// that never fall below 0, seats updated in turn, and an average with linear weights. With two
// players and a constant sum the average approaches an equilibrium; with more it need not, but
// often does.
//
// A Tree is safe for concurrent use; a CFR is used by one goroutine.
package nash
