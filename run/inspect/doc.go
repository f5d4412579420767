// Package inspect identifies files and folders that tengen writes, and reports what they
// hold and which parts are damaged. It writes nothing and takes no lock, and may be used
// while a run is in progress.
//
//	report, err := inspect.Look(ctx, "runs/quick", inspect.Options{})
//	report.Kind               // inspect.KindRun
//	report.Checkpoint.Games   // that the newest intact checkpoint counts
//	report.Damaged            // what is damaged and where, one line each
//	report.Verdict()          // nil if nothing is damaged
//
// [Look] determines the [Kind] of a path from its first bytes and its name, reads it, and
// fills the parts of a [Report] that this kind has. `tengen inspect --json` prints the
// report. [FindGame] returns one game of a run, a folder of segments, a segment or a match,
// by its number. [Split] splits PATH:N.
//
// Damage is not an error: it is listed in the report. What a crash leaves behind without
// harm, such as a torn last record whose game was played again, is a note. If nothing is at
// a path, or nothing that tengen writes, the error is a [Refusal]; other errors mean that a
// file could not be read.
//
// Caveats: games are checked against the rules if this program knows them (import
// tengen/game/all), and otherwise only counted. Checkpoints, networks, matches and files of
// games in JSON are read into memory, up to 8 GiB; segments and logs are not. ONNX files are
// not read.
package inspect
