// Package position reads positions that commands are given, and draws them with what a search found
// out.
//
// A position is given as moves, as a recorded game in JSON or SGF, in a notation of its game
// (game.Positioned), or as a drawing (game.DrawingParser):
//
//	source := position.Source{File: "game.sgf", After: 12, Default: "go:size=5,players=3"}
//	g, s, err := source.Read()
//	fmt.Print(position.NewDiagram(g, s, cells, best).Text())
//
// Errors are about what the user gave.
package position
