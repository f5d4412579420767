// Gpucheck reads the measurements of the script gpucheck in this folder on a GPU machine,
// writes a JSON document and a table, and reports by its exit status whether the targets are
// reached.
//
//	tools/gpucheck/gpucheck                 # on a machine with Go: builds, checks, measures
//	tools/gpucheck/build /tmp/check         # elsewhere: makes /tmp/check.tar.gz to unpack there
//	/tmp/check/gpucheck --out results       # there, without Go
//	/tmp/check/gpucheck --only kernels,feed --out results
//
// The script's parts have a time limit each, nine minutes in total (--seconds), building not
// counted. They are, the most telling first:
//
//	device     the device, the driver, the machine; kernels of a small network
//	heads      steps of presets with auxiliary heads, losses of their own or a board of one cell
//	tests      the tests against the float64 reference, each within 30 seconds
//	kernels    where the time of a step and of a batch goes, kernel by kernel
//	conv       convolutions alone, in steps of two blocks, beside large products of cuBLAS
//	step       steps of smaller batches; steps and batches of other networks
//	run        a run of some iterations; the same one killed and resumed, which is to have the
//	           same bits
//	latency    small batches
//	feed       self-play by games of a worker
//	devices    self-play, steps and batches on all devices; skipped where there is one
//	inference  other batches and precisions
//	selfplay   self-play as configured
//	torch      PyTorch, if python3 has torch, in the time that is left
//
// One runs only where --only names it, as long as --seconds permits:
//
//	precision  what training in bf16, tf32 and fp32 learns of the same games in 3,000 steps of
//	           1,024 rows (10 blocks × 128 filters, 9×9): held-out losses, two seeds
//
// Each writes its results to the folder as it runs; if a measurement fails or is cut off, the
// others still run, and the report says so. Every process takes a first step or batch, which
// compiles the kernels, before it measures.
//
// The report (gpucheck.txt, gpucheck.json) says: the device, the driver and the machine; the
// device's measured peak rates; which kernels were tried, with their times or why they were passed
// over; rates by batch and precision, and their share of the peak; the presets' steps;
// convolutions; the kernels' times; self-play by games, and how long it keeps the device busy; what
// became of the run that was killed; PyTorch's rates; the greatest errors against float64; tests,
// parts and measurements that failed, were cut off or were left no time; and the targets. Each line
// of rates has a verdict. A share of the peak from 40 % on is good, from 20 % on fair.
//
// The targets: nominal FLOP/s of inference in bf16 at least 40 % of the measured rate of large bf16
// products, and each convolution at least 65 %; on a Hopper device the steps and the batch of the
// list goals; twice PyTorch's positions a second at its best batch, and a training step as fast as
// PyTorch's in the same precision; in self-play the device busy for 70 % of the time, or workers
// that never wait for it; the paper's 50,000 games within an hour; no test and no preset that
// fails; and no file of a resumed run that differs.
//
// Exit status: 0 if all are reached, 1 if one is missed or a test fails, 2 if one was not
// measured, 3 if there is no device, 64 for a usage error.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses.
const (
	reached     = 0
	missed      = 1
	notMeasured = 2
	misused     = 64
)

// run reads the folder that args names, writes gpucheck.json and gpucheck.txt there and the table
// to stdout, and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "gpucheck: usage: gpucheck FOLDER (of the results)")
		return misused
	}
	r := read(args[0])
	r.judge()
	document, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(args[0], "gpucheck.json"), append(document, '\n'), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(args[0], "gpucheck.txt"), []byte(r.table()), 0o644)
	}
	fmt.Fprint(stdout, r.table())
	if err != nil {
		fmt.Fprintln(stderr, "gpucheck:", err)
		return misused
	}
	return r.status()
}
