// Package ablation measures what options of learning and of the search are worth, under conditions
// that differ in one thing.
//
// # Descent
//
// [Ablation] compares what Descent can learn from, and its search in self-play, by training small
// networks and having them play each other.
//
//	a := ablation.Ablation{Dir: "runs/descent-ablation", Minutes: 2, Seeds: 3, Games: 40, Opening: 4, Search: 30, Seed: 1}
//	result, err := a.Run(ctx, log, progress)
//	err = result.WriteMarkdown(w, command, machine)
//
// Each run trains for the same wall-clock time: run nothing else beside it.
//
// # Options of the search
//
// [Sweep] measures c_puct, the first-play urgency, the scaling of c_puct and the choice of the
// move. Each value of an option is an arm, which plays a match against the same network with the
// settings of its run, at equal simulations. [Layout] is its page.
//
//	s := ablation.Sweep{Network: "go-5x5x3", Simulations: 100, Games: 2000, Seed: 1}
//	table, err := s.Run(ctx, research.Made{Command: "…", Machine: "…", Seed: 1})
//
// A match is played in rounds of all seatings from one opening (package arena): with two players
// a pair of games, with three one arm against two defaults and the reverse. Both players share one
// cache of evaluations, since their networks are equal.
//
// With a dozen arms, one in two sweeps has an interval of 95 % that leaves out 0 by chance: confirm
// an arm with another seed before a default changes. The best arm of several looks better
// than it is. What is best depends on the network, the simulations and the game.
package ablation
