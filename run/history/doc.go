// Package history reads the event log of a run into curves and exports them: as a
// table (CSV) and as an event file of TensorBoard.
//
//	run, err := history.Read("runs/first")
//	for _, p := range run.Curve("losses/value", history.Games) {
//		fmt.Println(p.X, p.Y)
//	}
//	err = run.WriteCSV(w)
//	err = run.WriteTensorBoard(w)
//
// [Run.Refresh] reads what was appended since, to follow a run in progress:
//
//	run := history.New("runs/first")
//	for range time.Tick(time.Second) {
//		err := run.Refresh() // ErrNone: there is no event log yet
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
// Caveats: reading changes nothing and needs no lock, so the run may be in progress. Lines
// that can't be read are skipped and listed in [Run.Damaged]. A log that was replaced is
// recognized by its last bytes.
package history
