// Package replay keeps the games of self-play on disk.
//
// A [Log] reads the games of a folder of segments, appends games to it, removes old ones and merges
// small segments. [Load] reads a folder without changing it. A [Journal] keeps finished games that
// can't be appended to the Log yet. A [Reader] reads one segment, and [Owner] says which run a
// folder belongs to. Readers skip damage.
//
//	log, err := replay.OpenLog(fsys, dir, 500)
//	damages, err := log.Resume(owner, first, next, func(game *record.Game) error { … })
//	go log.Merge(ctx)
//	…
//	err = log.Append(game) // in order of game number
//	err = log.Commit()     // all of them are durable now
//	removed, err := log.Prune(first)
//
// The record of a game is in [tengen/replay/record], and what updates learn from in
// [tengen/replay/window]. See docs/formats/replay-segment.md for the format.
//
// Caveats: a Journal and a Reader may each be used by one goroutine at a time, and a Log by three:
// one calls Merge, one Prune, and one the other methods.
package replay
