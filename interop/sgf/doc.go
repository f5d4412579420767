// Package sgf reads and writes games of two-player Go in the Smart Game Format,
// FF[4] (https://www.red-bean.com/sgf).
//
//	record, err := sgf.Parse(text)
//	g, err := record.Game()             // go:size=9,players=2,komi=[0,7],pass=free
//	state, err := record.Play(g, 30)    // the position after thirty moves
//	err = record.Write(file)
//
// [Record] holds what Tengen makes use of: the board, komi, names, the result,
// set-up stones in the root (AB, AW, AE, PL) and the moves of the main line.
// Variations are skipped, and all but the first game of a collection; comments,
// marks and clocks are not kept. Files of FF[1] to FF[3] are read too.
//
// Caveats: boards are of 1×1 to 19×19 points. Set-up stones after the root are
// refused, since they would tear the game apart. Text that is not UTF-8 is taken
// for Latin-1, the format's default. Games of more than two colours have no place
// in the format; docs/formats/game.md describes theirs.
package sgf
