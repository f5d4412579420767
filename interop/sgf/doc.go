// Package sgf reads and writes games of two-player Go in the Smart Game Format,
// FF[4] (https://www.red-bean.com/sgf).
//
//	record, err := sgf.Parse(text)
//	g, err := record.Game()             // go:size=9,players=2,komi=[0,7],pass=free
//	state, err := record.Play(g, 30)    // the position after thirty moves
//	err = record.Write(file)
//
// [Record] holds the parts of a file that Tengen uses: the board, komi, names, the result, set-up
// stones in the root (AB, AW, AE, PL) and the moves of the main line. Parse skips variations and
// all games of a collection but the first; it drops comments, marks and clocks. It also reads
// files of FF[1] to FF[3].
//
// Caveats: boards have 1×1 to 19×19 points. Set-up stones after the root are refused: the moves
// before them would not lead to the position. Text that is not UTF-8 is read as Latin-1, the
// format's default. The format has no games of more than two colours; docs/formats/game.md
// describes the format for those.
package sgf
