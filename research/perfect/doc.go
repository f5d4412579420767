// Package perfect compares players with perfect play, in a game that has a solver: how often a move
// on a random position keeps the result that perfect play would have, and how often it also keeps
// the number of plies to it.
//
//	sets, err := perfect.NewSets(ctx, game, 1000, seed, progress)
//	m := perfect.Measurement{Game: game, Sets: sets, Simulations: []int{100, 400, 800}}
//	table, err := m.UCT(ctx, made)
//	table, err = m.Run(ctx, "runs/connect-four", made)
//
// Positions come from random play, so that no player had a part in choosing them. In many of them
// the result can't be thrown away; what players do in the others is told apart.
//
// # Caveats
//
// Every move is judged alone. A player that makes one mistake in a hundred may still lose most of
// its games against perfect play.
package perfect
