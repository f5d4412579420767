// Package interactive plays games between people at the terminal and other players, and shows
// recorded games:
//
//	g := interactive.New(rules, seats, seed, os.Stdout, color)
//	err := g.Run(ctx, terminal.ReadLines(os.Stdin))
//
// In games with hidden information only the information of Game.Viewer is shown.
package interactive
