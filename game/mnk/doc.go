// Package mnk implements m,n,k games: players take turns to place a stone on an empty
// cell, and the first to have at least in_row stones in a row (horizontal, vertical or
// diagonal) wins. A full board without such a row is a draw.
//
//	mnk:rows=3,columns=3,in_row=3,players=2    tic-tac-toe
//	mnk:rows=15,columns=15,in_row=5            free-style gomoku
//	tictactoe:players=3                        tic-tac-toe with a third player
//
// A winner has utility 1 and the others 0; in a draw each of P players has 1/P. Boards
// have 1 to 19 rows and columns; two or three players take part.
//
// Action r·columns + c places a stone in row r from the top and column c from the
// left. Cells are named a1, b1 and so on, with rows counted from the bottom. The
// observation has a plane of stones for each player and then, for each player, a plane
// that is all ones while that player is to move.
package mnk
