// Package rowstest tests games of rows. It has their rules in the simplest form, Naive, and what
// the tests of every such game check:
//
//	slow := &rowstest.Naive{Board: rows.New(6, 7, 4, 2), Drops: true}
//	rowstest.Agrees(t, g, slow, 20) // 20 random games
//
// Naive is slow: after each stone it checks every line of the board.
package rowstest
