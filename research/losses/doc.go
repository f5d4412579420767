// Package losses measures what players lose against perfect play, in games whose exact values are
// known: on positions of a fixed set, each player plays one turn, and the value of what it does is
// compared with that of the best turn.
//
//	set, err := losses.NewSet(ctx, g, solvable, 1000, 1, nil)
//	r, err := set.Measure(ctx, p, 1, nil)
//	fmt.Println(r.Mean, r.Low, r.High)
//
// # Positions
//
// Each position is from a game of its own, of players that play perfectly in three turns of four
// and at random in the fourth, so that both good positions and mistakes come up. It is one of the
// turns of that game that begin with a choice, drawn uniformly. A turn is what a player does until
// another player or chance is to move: in backgammon, all moves of a roll. Losses of the actions of
// a turn add up to that of the turn.
package losses
