// Package history reads the event log of a run into curves, draws and compares them, and exports
// them: as a table (CSV) and as an event file of TensorBoard.
//
//	run, err := history.Read(ctx, "runs/first")
//	for _, p := range run.Curve("losses/value", history.Games) {
//		fmt.Println(p.X, p.Y)
//	}
//	err = run.WriteCSV(ctx, w)
//	err = run.WriteTensorBoard(ctx, w)
//
// [Run.Refresh] reads what was appended since, to follow a run in progress:
//
//	run := history.New("runs/first")
//	for range time.Tick(time.Second) {
//		err := run.Refresh(ctx) // ErrNone: there is no event log yet
//		loss, ok := run.Iterations.Last("losses/value")
//	}
//
// A [Run] merges the events of all processes that trained the run: if a resumed run
// repeated an iteration, the later events count. Its figures are in a [Table] for each
// kind of event; [Run.Names] lists the curves. A curve's name is the path of a number in
// events.jsonl (docs/formats/run.md), such as "losses/value" or "strength/points/Black", so
// new fields of events appear without further work. docs/formats/history.md describes the
// exports.
//
// [Learning] draws a run's picture eval/learning.svg: points by seat against UCT, ratings and
// losses, of at most 300 iterations and 300 evaluations.
//
// # Comparisons
//
// A [Comparison] has the settings in which runs differ, their results, and their curves in one
// picture:
//
//	c, err := history.Compare(ctx, []string{"runs/first", "runs/second"})
//	for _, s := range c.Settings {
//		fmt.Println(s.Key, s.Values)
//	}
//	svg, err := c.Draw(history.Games)
//
// Runs of different games are compared in games, time and settings. Points share a panel if
// the game and the opponent are the same, losses if the heads are the same too.
// [Comparison.Notes] lists what is not comparable. A loss is measured on the run's own games, with
// targets from its own searches, so a lower loss than another run's does not mean a stronger
// player; and hours depend on the machine.
//
// # Long runs
//
// A Run knows of each iteration where its line stands in the log: to find that, a line's beginning
// is read (1 GB in about 0.3 s). It decodes the lines of some thousand iterations, evenly spread,
// and of the last ones: the [Table.Rows] that views read. Views draw means of several of them for
// each point. Exports read all lines.
//
// Caveats: reading changes nothing and needs no lock, so the run may be in progress. Lines
// that can't be read are skipped and listed in [Run.Damaged], as far as somebody has looked. A log
// that was replaced is recognized by its last bytes.
package history
