// Package anchors has players of known strength, against which others are measured.
//
// [Measurement] makes the anchor ladders of games (arena.AnchorLadder): matches of UCT players with
// more and more simulations, each against the next.
//
// # GNU Backgammon
//
// Matches are played against GNU Backgammon, which decides through its external-player socket: a
// line with a board as FIBS writes it, answered by the move.
//
//	gnu, err := anchors.StartGNU(ctx, anchors.GNUOptions{Path: path, Plies: 0})
//	r, err := anchors.PlayGNU(ctx, g, gnu, p, 100, 1, nil)
//	fmt.Println(r.Mean, r.Low, r.High) // points a game
//
// Games are for money, without a cube. They are played in pairs with the same dice: roll number k
// is the same in both games, which begin with the players in different seats. Pairs are the
// independent units of the interval.
//
// GNU Backgammon computes the moves on its own; its rolls are never used.
package anchors
