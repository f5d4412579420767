// Gpucheck reads the measurements of the script gpucheck in this folder on a GPU machine,
// writes a JSON document and a table, and reports by its exit status whether the targets are
// reached.
//
//	tools/gpucheck/gpucheck                 # on a machine with Go: builds, checks, measures
//	tools/gpucheck/build /tmp/check         # elsewhere: makes /tmp/check.tar.gz to unpack there
//	/tmp/check/gpucheck --out results       # there, without Go
//	/tmp/check/gpucheck --only selfplay --out results
//
// The script's parts (the device, its tests against the float64 reference, inference by batch
// and precision, training, self-play, and PyTorch if python3 has torch) have a time limit each,
// less than ten minutes in total (--seconds), building not counted; PyTorch has what the others
// leave. Each writes its results to the folder as it runs; if one fails, the others still run.
//
// The report (gpucheck.txt, gpucheck.json) says: the device, the driver and the machine; the
// device's measured peak rates; which kernels were tried, with their times or why they were passed
// over; rates by batch and precision, and their share of the peak; how long self-play keeps the
// device busy; PyTorch's rates; the greatest errors against float64; and the targets. Each line has
// a verdict. A share of the peak from 40 % on is good, from 20 % on fair.
//
// The targets: nominal FLOP/s of inference in bf16 at least 40 % of the measured rate of large
// bf16 products; twice PyTorch's positions a second at its best batch, and a training step as
// fast as PyTorch's in the same precision; in self-play the device busy for 70 % of the time, or
// workers that never wait for it; and the paper's 50,000 games within an hour.
//
// Exit status: 0 if all are reached, 1 if one is missed or a test fails, 2 if one was not
// measured, 3 if there is no device, 64 for a usage error.
package main
