// Package replay keeps the games of self-play on disk.
//
// A [Log] appends records to segments, [Load] reads the most recent ones, skipping damage, and
// [Prune] removes old segments. A [Journal] keeps finished games that can't be appended to the Log
// yet. A [Reader] reads one segment, and [Owner] says which run a folder belongs to.
//
//	log, err := replay.OpenLog(fsys, dir, 500)
//	err = log.Append(game) // in order of game number
//	err = log.Commit()     // all of them are durable now
//	…
//	games, damages, err := replay.Load(fsys, dir, before, capacity)
//
// The record of a game is in [tengen/replay/record], and what updates learn from in
// [tengen/replay/window]. See docs/formats/replay-segment.md for the format.
//
// Caveats: a Log, a Journal and a Reader may each be used by one goroutine at a time.
package replay
