// Package history reads what a run has told of itself, its events.jsonl, into
// curves, and writes it for other tools: as a table (CSV) and as an event file
// of TensorBoard.
//
//	run, err := history.Read("runs/first")
//	for _, p := range run.Curve("losses/value", history.Games) {
//		fmt.Println(p.X, p.Y)
//	}
//	err = run.WriteCSV(w)
//	err = run.WriteTensorBoard(w)
//
// A run that goes on is followed by reading what it has told since:
//
//	run := history.New("runs/first")
//	for range time.Tick(time.Second) {
//		err := run.Refresh() // ErrNone: it has not begun
//		loss, ok := run.Iterations.Last("losses/value")
//	}
//
// A [Run] is what stands after all sittings: where a resumed run made an
// iteration again, the later one counts. Its figures are kept in a [Table] for
// each kind of event; [Run.Names] lists its curves. A name is the way to a
// number in events.jsonl (docs/formats/run.md), as in "losses/value" or
// "strength/points/Black", so that fields which are added there appear here.
// docs/formats/history.md describes what is written.
//
// Caveats: reading changes nothing and needs no lock, so that the run may go on
// meanwhile. A line that can't be read is left out and told in [Run.Damaged]. A
// log that was replaced is known by what stood last in it.
package history
