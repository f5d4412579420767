// Package truth measures players where the truth is known.
//
// # Moves
//
// [Measurement] compares players with perfect play, in a game that has a solver: how often a move
// on a random position keeps the result that perfect play would have, and how often it also keeps
// the number of plies to it. [Layout] is its page.
//
//	sets, err := truth.NewSets(ctx, game, 1000, seed, progress)
//	m := truth.Measurement{Game: game, Sets: sets, Simulations: []int{100, 400, 800}}
//	table, err := m.UCT(ctx, made)
//	table, err = m.Run(ctx, "runs/connect-four", made)
//
// Positions come from random play, so that no player had a part in choosing them. In many of them
// the result can't be thrown away; what players do in the others is told apart. Every move is
// judged alone: a player that makes one mistake in a hundred may still lose most of its games
// against perfect play.
//
// # Turns
//
// [Turns] are positions on which each player plays one turn, and the value of what it does is
// compared with that of the best turn, in games whose exact values are known.
//
//	set, err := truth.NewTurns(ctx, g, solvable, 1000, 1, nil)
//	r, err := set.Measure(ctx, p, 1, nil)
//	fmt.Println(r.Mean, r.Low, r.High)
//
// Each position is from a game of its own, of players that play perfectly in three turns of four
// and at random in the fourth, so that both good positions and mistakes come up. It is one of the
// turns of that game that begin with a choice, drawn uniformly. A turn is what a player does until
// another player or chance is to move: in backgammon, all moves of a roll. Losses of the actions of
// a turn add up to that of the turn.
//
// # Beliefs
//
// [MeasureBelief] tells how well a network knows what is hidden: in games among any players, at
// every decision, what it believes of each hidden fact (game.HasHiddenFacts) is compared with the
// truth, and with what counting alone says.
//
//	o := truth.BeliefOptions{Game: g, Belief: b, Players: players, Games: 100, Seed: 1, Workers: 1}
//	r, err := truth.MeasureBelief(ctx, o)
//	fmt.Println(r.Kinds[0].Reduction)
//
// The log loss of a belief is the mean of −log of the probability that it gives to the true class,
// in nats, summed over the facts of one kind that are hidden from the player to move. The prior's
// is that of counting (game.HiddenFactState.HiddenFactPriors). The reduction is 1 − loss ÷ prior's
// loss; its interval is that of a ratio of sums over games, which are the independent unit (Cochran
// 1977, Sampling Techniques, section 6). A [BeliefReport] has the losses of each kind of hidden
// facts over all positions, by thirds of a game and by the number of decisions before, and the
// reliability curve. The same games are played whatever the number of workers.
//
// How much can be known depends on who plays: players that play at random tell nothing. Positions
// of one game are not independent, and reliability curves count them as if they were.
package truth
