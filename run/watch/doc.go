// Package watch shows the state of a run in a terminal, from its folder or from the metrics
// of the process that trains it.
//
//	source, err := watch.Open("runs/first") // or http://127.0.0.1:9464
//	snapshot, err := source.Look(ctx, time.Now())
//	for _, line := range watch.Lines(snapshot, 80, false) {
//		fmt.Println(line)
//	}
//
// A [Source] returns a [Snapshot] each time it is asked and remembers what rates and curves
// need. [Lines] formats a Snapshot for a terminal of any width, with curves as Unicode block
// characters (▁▂▃▄▅▆▇█), which need no color.
//
// Caveats: a folder does not say what the process is doing. The stage and its progress are
// inferred from the games on disk and the event log, and the rates are those of the last
// iteration. Metrics have the stage and the current rates, but of the past only what this
// Source has seen. A Source is used by one goroutine at a time.
package watch
