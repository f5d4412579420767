// Package compare compares runs: the settings in which they differ, their results, and
// their curves in one picture.
//
//	c, err := compare.New([]string{"runs/first", "runs/second"})
//	for _, s := range c.Settings {
//		fmt.Println(s.Key, s.Values)
//	}
//	svg, png, err := c.Draw(history.Games)
//
// Runs of different games are compared in games, time and settings. Points share a panel if
// the game and the opponent are the same, losses if the heads are the same too.
// [Comparison.Notes] lists what is not comparable.
//
// Caveats: a loss is measured on the run's own games, with targets from its own searches.
// So a lower loss than another run's does not mean a stronger player. Hours depend on the
// machine.
package compare
