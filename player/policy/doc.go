// Package policy asks players for their policies: what they do, and how often, in each information
// set of a game small enough to enumerate (package nash).
//
//	tree, err := nash.Enumerate(ctx, g, nash.DefaultLimit)
//	p, err := policy.Of(ctx, tree, players, policy.Options{Samples: 200, Seed: 1})
//	result := tree.NashConv(p)
//
// Of a player that is player.Explicit the probabilities are taken as they are. Any other player is
// asked several times in each set, each time as in a game of its own: its agent begins with another
// random stream, and gets another determinized copy of a state of the set (player.Observer), since
// it sees nothing else of a game with hidden information. The share of each action is its policy.
// It is the policy of a player that decides by what it sees at the time alone; an agent that keeps
// a search from one decision to the next may play another.
//
// A sampled policy has noise, of which a best response takes advantage: NashConv is too high rather
// than too low, by an amount that falls with the square root of the number of samples. A player
// that chooses the same action whatever its random stream is measured exactly.
package policy
