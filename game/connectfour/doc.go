// Package connectfour implements Connect Four: players in turn drop a stone into a column, where it
// falls on the stones below, and the first to have at least in_row stones in a row (horizontal,
// vertical or diagonal) wins. A full board without such a row is a draw.
//
//	connect-four                                     7 columns of 6 rows, four in a row
//	connect-four:rows=4,columns=5                    a smaller board
//	connect-four:rows=7,columns=8,players=3          a third player
//
// A winner has utility 1 and the others 0; in a draw each of P players has 1/P. Two or three
// players take part.
//
// Action c drops a stone into column c from the left. Columns are named a, b and so on, and are
// also read as numbers from 1. The observation has a plane of stones for each player and then, for
// each player, a plane that is all ones while that player is to move.
//
// # Bit boards
//
// Bit c·(rows+1) + r of a word is row r from the bottom of column c. The bit above each column is
// always 0, so that shifts do not run from one column into the next, and so that adding the bottom
// of a column to all stones carries to its lowest empty cell (Tromp, The Fhourstones Benchmark). A
// board therefore fits if (rows+1)·columns is at most 64.
//
// # Solver
//
// The game for two players is solved exactly ([Game.NewSolver]), by negamax with alpha-beta, a
// transposition table, and windows that are narrowed by bisection. The search never plays a move
// after which the other player can win at once, and tries moves that make more threats first (Pons,
// Solving Connect 4: how to build a perfect AI, 2015).
//
// A score tells who wins, and how soon: 0 is a draw; n > 0 means that the player to move wins with
// its n-th stone counted from its last one, if it wins as soon as it can and the other defends as
// long as it can; -n that the other player does.
//
// Caveats: a solver is used by one goroutine. The empty board of 7 columns and 6 rows takes
// minutes; positions of 12 and more stones take fractions of a second.
package connectfour
