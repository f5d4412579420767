// Package sgf reads and writes games of two-player Go in the Smart Game Format,
// FF[4] (https://www.red-bean.com/sgf).
//
//	record, err := sgf.Parse(text)
//	g, err := record.Game(nil)          // go:size=9,players=2,komi=[0,7],pass=free
//	state, err := record.Play(g, 30)    // the position after thirty moves
//	err = record.Write(file)
//
// [Record] holds the parts of a file that Tengen uses: the board, komi, names, the result, stones
// that are set up (AB, AW, AE, PL) before the first move and later, and the moves of the main line.
// Parse skips variations and all games of a collection but the first; it drops comments, marks and
// clocks. It also reads files of FF[1] to FF[3], and files as other programs write them, in any
// usual encoding: docs/formats/sgf.md tells what is read as what. What was guessed is in
// Record.Warnings.
//
// A [source] turns a file into text in which all structure is ASCII; a [scanner] walks along its
// main line; a [reader] makes the record.
//
// Caveats: boards have 1×1 to 19×19 points. Positions that are set up after moves are the beginning
// of what rules of ko look at. The format has no games of more than two colours;
// docs/formats/game.md describes the format for those.
package sgf
