// Package board says how positions of games are drawn: not with pixels, but as
// named shapes in units of the board's own, which a page turns into a picture
// and a screen reader into words.
//
// A [Drawer] draws the positions of one game. Its [Layout] is what never
// changes (the wood, the lines, where the actions are played); a [Frame] is what
// lies on it in one position:
//
//	d := board.For(g)
//	layout := d.Layout()
//	frame := d.Draw(s, game.Nobody)
//
// A shape stands anywhere, so that a hand of cards and a race track are drawn by
// the same few kinds as a board of points. Where actions are played in places that
// differ from position to position, the frame has the spots, and a drawer that is
// a [Teller] says what was done. [Delta] is what changes from one frame to the
// next, for sending whole games.
//
// [For] knows the games of this module, and those that were made known by
// [Register]. A game without a drawing has a list of its actions and the text
// that it draws for a terminal.
package board
