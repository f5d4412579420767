// Package watch looks at a run from elsewhere, for a person at a terminal: at
// its folder, or at the metrics of the process that trains.
//
//	source, err := watch.Open("runs/first") // or http://127.0.0.1:9464
//	snapshot, err := source.Look(ctx, time.Now())
//	for _, line := range watch.Lines(snapshot, 80, false) {
//		fmt.Println(line)
//	}
//
// A [Source] is asked again and again; it keeps what it needs for rates and
// curves. A [Snapshot] is what it saw; [Lines] writes that for a terminal of
// any width, with curves as letters of Unicode (▁▂▃▄▅▆▇█), which need no colour.
//
// Caveats: a folder does not say what its process is doing. The stage, and how
// far it is, are concluded from the games on disk and the event log, and rates
// are those of the last iteration. Metrics tell the stage and the present
// rates, but of the past only what this process saw while it watched. A Source
// is used by one goroutine.
package watch
