// Package sweep measures what options of a network's search are worth: c_puct, the first-play
// urgency, the scaling of c_puct and the choice of the move. Each value of an option is an arm,
// which plays a match against the same network with the settings of its run, at equal
// simulations.
//
//	s := sweep.Sweep{Network: "go-5x5x3", Simulations: 100, Games: 2000, Seed: 1}
//	table, err := s.Run(ctx, research.Made{Command: "…", Machine: "…", Seed: 1})
//
// A match is played in rounds of all seatings from one opening (package arena): with two players
// a pair of games, with three one arm against two defaults and the reverse. Both players share one
// cache of evaluations, since their networks are equal.
//
// # Caveats
//
// With a dozen arms, one in two sweeps has an interval of 95 % that leaves out 0 by chance: confirm
// an arm with another seed before a default changes. The best arm of several looks better
// than it is. What is best depends on the network, the simulations and the game.
package sweep
