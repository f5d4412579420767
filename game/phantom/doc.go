// Package phantom implements phantom tic-tac-toe: tic-tac-toe in which players do not see each
// other's stones, with the rules of OpenSpiel's phantom_ttt (classical rules, nothing revealed), on
// boards of up to three by three cells.
//
//	phantom                              three by three, three in a row
//	phantom:rows=2,columns=3             a board small enough to enumerate
//
// # Rules
//
// Players X and O alternate, X first. The player to move names a cell of which it does not know
// that it is taken. If the cell is empty, the player's stone is placed there and the turn ends. If
// the other player's stone is there, the move fails: the player learns that the cell is taken, and
// moves again. A row of in_row stones wins; a full board without one is a draw. A winner has
// utility 1, the other player 0; in a draw each has ½.
//
// There are variants. In that of Lanctot ("abrupt" in OpenSpiel) a failed move ends the turn; in
// another the number of the other player's attempts is announced. Neither is played here.
//
// # Hidden information
//
// A player knows, in their order, the cells that it named and which of these moves failed, and
// whose turn it is. It does not see how often the other player's moves have failed. This history is
// its information set, so players forget nothing. State.Determinize draws the other player's
// history, all histories that agree with what the seat knows being equally likely: the order of the
// other's stones, and when it named which of the seat's cells.
//
// Actions and cells are those of package mnk. The observation has, for each player, a plane of its
// stones as far as the current player knows them; a plane with the place in its history at which
// the current player named the cell, from 1/cells to 1; and for each player a plane that is all
// ones while that player is to move.
package phantom
