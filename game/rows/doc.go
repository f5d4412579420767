// Package rows has what the games share in which players place stones in turn and the first row of
// a given length wins: package mnk, where a stone is placed on any empty cell, and package
// connectfour, where it falls to the bottom of a column. A game embeds a Board, which has the
// methods of game.Game that do not depend on how stones are placed:
//
//	type Game struct {
//		rows.Board
//		…
//	}
//
// States keep their stones as they like, and give the Board a function that says whose stone is on
// a cell.
package rows
