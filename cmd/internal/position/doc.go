// Package position reads positions that commands are given, draws them with what a search found
// out, and plays games at the terminal.
//
// A position is given as moves, as a recorded game in JSON or SGF, in a notation of its game
// (game.Positioned), or as a drawing (game.DrawingParser):
//
//	source := position.Source{File: "game.sgf", After: 12, Default: "go:size=5,players=3"}
//	g, s, err := source.Read()
//	fmt.Print(position.NewDiagram(g, s, cells, best).Text())
//
// Errors are about what the user gave.
//
// A [Game] is played between people at the terminal and other players, or shown as it was recorded:
//
//	g := position.NewGame(rules, seats, seed, os.Stdout, color)
//	err := g.Run(ctx, cli.ReadLines(os.Stdin))
//
// In games with hidden information only the information of Game.Viewer is shown.
package position
