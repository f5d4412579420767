// Package inspect says what a file or folder of tengen's is, what is in it, and
// which parts of it are damaged. It writes nothing, takes no lock, and may be used
// while the run that writes there goes on.
//
//	report, err := inspect.Look(ctx, "runs/quick", inspect.Options{})
//	report.Kind               // inspect.KindRun
//	report.Checkpoint.Games   // that the newest sound checkpoint counts
//	report.Damaged            // where what is damaged, one line each
//	report.Verdict()          // nil where all is sound
//
// [Look] tells the [Kind] of a path from its beginning and its name, reads it and
// fills the parts of a [Report] that this kind has; its JSON is what `tengen inspect
// --json` prints. [FindGame] takes one game out of a run, a folder of segments, a segment
// or a match, by its number; [Split] takes PATH:N apart.
//
// What is damaged is no error: it stands in the report. What a crash leaves, such
// as a last record that was cut off and whose game was played again, is a note and
// no damage. An error that is a [Refusal] says that nothing is there, or nothing that
// tengen writes; another, that a file could not be read.
//
// Caveats: games are checked against the rules of those that this program knows
// (import tengen/game/all); others are counted only. A checkpoint, a network, a match
// or a file of games in JSON is read into memory whole, up to 8 GiB; segments and logs are
// not. Of an ONNX file nothing is looked at.
package inspect
