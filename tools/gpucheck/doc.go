// Gpucheck reads what the script gpucheck beside it has measured on a GPU machine, writes
// one JSON document and a table, and says by its exit status whether the figures are reached.
//
//	tools/gpucheck/gpucheck                 # on a machine with Go: builds, checks, measures
//	tools/gpucheck/build /tmp/check         # elsewhere: /tmp/check.tar.gz, to be unpacked there
//	/tmp/check/gpucheck --out results       # there, without Go
//	/tmp/check/gpucheck --only selfplay --out results
//
// The script's parts (the device, its tests against the float64 reference, inference by batch
// and precision, training, self-play, PyTorch where python3 has torch) have time limits of their own,
// under ten minutes together; each leaves its results in the folder as it goes, and what one
// part lacks the others have nevertheless.
//
// The figures: nominal FLOP/s of inference in bf16 at least 40 % of the measured rate of
// large bf16 products; twice PyTorch's positions a second at its best batch, and as fast a training step in
// the same precision; in self-play the device busy for 70 % of the time, or the workers never
// waiting for it; and the paper's 50,000 games within an hour.
//
// Exit status: 0 where all are reached, 1 where one is missed or a test fails, 2 where one was not
// measured, 3 where there is no device, 64 for a mistake in what was asked for.
package main
