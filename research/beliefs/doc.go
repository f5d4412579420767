// Package beliefs measures how well a network knows what is hidden: in games among any players, at
// every decision, what it believes of each hidden fact (game.HasHiddenFacts) is compared with the
// truth, and with what counting alone says.
//
// The log loss of a belief is the mean of −log of the probability that it gives to the true class,
// in nats, summed over the facts of one kind that are hidden from the player to move. The prior's
// is that of counting (game.HiddenFactState.HiddenFactPriors). The reduction is 1 − loss ÷ prior's
// loss; its interval is that of a ratio of sums over games, which are the independent unit (Cochran
// 1977, Sampling Techniques, section 6).
//
//	r, err := beliefs.Measure(ctx, beliefs.Options{Game: g, Belief: b, Players: players, Games: 100, Seed: 1, Workers: 1})
//	fmt.Println(r.Kinds[0].Reduction)
//
// A [Report] has the losses of each kind of hidden facts over all positions, by thirds of a game
// and by the number of decisions before, and the reliability curve. The same games are played
// whatever the number of workers.
//
// # Caveats
//
// How much can be known depends on who plays: players that play at random tell nothing. Positions
// of one game are not independent, and reliability curves count them as if they were.
package beliefs
