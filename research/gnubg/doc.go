// Package gnubg plays matches against GNU Backgammon, which decides through its external-player
// socket: a line with a board as FIBS writes it, answered by the move.
//
//	engine, err := gnubg.Start(ctx, gnubg.Options{Path: path, Plies: 0})
//	r, err := gnubg.Play(ctx, g, engine, p, 100, 1, nil)
//	fmt.Println(r.Mean, r.Low, r.High) // points a game
//
// Games are for money, without a cube. They are played in pairs with the same dice: roll number k
// is the same in both games, which begin with the players in different seats. Pairs are the
// independent units of the interval.
//
// GNU Backgammon computes the moves on its own; its rolls are never used.
package gnubg
