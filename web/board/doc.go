// Package board describes drawings of game positions: not as pixels, but as named
// shapes in the drawing's own units, which a page turns into a picture and a screen
// reader into words.
//
// A [Drawer] draws the positions of one game. Its [Layout] is the part that never
// changes (the board, its lines, where actions are played); a [Frame] is the part that
// depends on the position:
//
//	d := board.For(g)
//	layout := d.Layout()
//	frame := d.Draw(s, game.Nobody)
//
// Shapes can be anywhere, so the same few kinds draw a hand of cards, a race track or
// a board of points. If the places where actions are played depend on the position,
// the frame has the spots, and a drawer that implements [Teller] describes actions in
// words. A [Delta] is the difference between two frames, for sending whole games.
//
// [For] finds the drawers of this module's games and those added by [Register]. A game
// without a drawer is drawn as stones on a grid if its positions are a game.Board; any other is
// shown as a list of its actions and the text that it draws for a terminal.
package board
