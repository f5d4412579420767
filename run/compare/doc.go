// Package compare lays runs side by side: the settings in which they differ,
// what came of them, and their curves on one picture.
//
//	c, err := compare.New([]string{"runs/first", "runs/second"})
//	for _, s := range c.Settings {
//		fmt.Println(s.Key, s.Values)
//	}
//	svg, png, err := c.Draw(history.Games)
//
// Runs of different games are compared in what can be compared: games, time,
// settings. Points share a panel where game and opponent are the same, losses
// where the heads are too; [Comparison.Notes] says what is not comparable.
//
// Caveats: a loss is measured on games of the run's own, and its targets depend
// on the run's searches: between runs a lower loss is no stronger player. Hours
// depend on the machine.
package compare
