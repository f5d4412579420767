// Trials are experiments with a real `tengen train` and with the tests: a run is killed, its disk
// is full, it goes on for hours, its files are damaged; readers are given hostile input, and tests
// run beside busy loops.
//
//	go run ./tools/trials killloop --kills 200
//	go run ./tools/trials fulldisk
//	go run ./tools/trials soak --minutes 120 --watched
//	go run ./tools/trials chaos --minutes 30
//	go run ./tools/trials corrupt --trials 2000
//	go run ./tools/trials fuzz --time 5m
//	go run ./tools/trials starve --rounds 20
//
// The first four need Linux.
//
// # Killloop
//
// Killloop repeatedly kills a real `tengen train`, at random times and mostly while it
// writes, and checks that nothing is lost.
//
//	go run ./tools/trials killloop --kills 200
//
// It trains a tiny run to its end without interruption. Then it trains the same run in
// another folder, sends SIGKILL, checks the folder, resumes, and so on. When that run is
// complete, another begins, until all kills are done and the last run is complete.
//
// It checks after each kill that the event log never reports an earlier iteration than
// before, and that there is a checkpoint at least as new; that every checkpoint is valid;
// that every game that was on disk is still there, or older than the replay window; that
// no game counts twice; and that each equals the uninterrupted run's. At each run's end
// network, average, optimizer and games equal those of the uninterrupted run to the bit.
//
// --cycle pipelined does the same with a pipelined cycle. The runs of an asynchronous cycle
// (--cycle asynchronous) differ, and are checked by their own records: a game that was seen on disk
// is there ever after, numbers have no gaps, no two games have the same random streams, and the
// newest checkpoint's window held the last of the games that it has learned from
// (inspect.VerifyAsynchronous).
//
// Inotify shows what the process was doing. A kill counts as during a write only if a
// checkpoint's folder had its temporary name when the process had ended, or a segment
// that was not empty was open when the signal was sent. While less than 60 % of the kills
// were during writes, the next one is aimed at a write: the first, second or third one
// from now, at a random time within the median duration of such a write.
//
// With --set training.games=3000 an iteration takes longer than the second after which
// games are first made durable, so that kills leave incomplete segments.
//
// The report has the number of kills in each phase and the time lost. The exit status is
// 1 if a check fails or less than half of the kills were during writes. Killloop needs
// Linux. A kill does not lose data that was not fsynced; that is tested with package
// vfs/vfstest.
//
// # Fulldisk
//
// Fulldisk runs `tengen train` on a disk that is too small, and checks that nothing is
// lost.
//
//	go run ./tools/trials fulldisk
//
// It mounts a tmpfs of 16 MiB, writes a file to it that leaves space for a few
// checkpoints, and trains a tiny run there until the run reports that the disk is full.
// It kills the run while it waits, resumes it on the full disk, and then removes the
// file. The run must then continue by itself to its end, with the same network, optimizer
// and average, to the bit, as a run with enough space.
//
// It needs Linux and the permission to mount.
//
// # Soak
//
// Soak monitors the memory and open files of a real `tengen train` that plays, trains,
// saves, removes files and evaluates as fast as possible.
//
//	go run ./tools/trials soak --minutes 30
//
// Every second it records the process's resident memory (RSS), open files and threads. At
// the end it compares the last sixth of the time (the last 5 of 30 minutes) with a part of
// the same length around a third of the time (minutes 7.5 to 12.5), when window, cache and
// heap have reached their size. It compares medians, because with the garbage collector
// memory varies by a half within seconds. The exit status is 1 if memory has grown by more
// than 5 % (--most), or if the minimum of open files in the last part is greater than the
// maximum in the first.
//
// With --watched the run is that of the preset quick, going on until the time is over, with
// everything on: a client that holds the page's event stream and asks for what the page asks for, a
// client that asks for the metrics every five seconds, as Prometheus does, evaluations, and
// TensorBoard's files. The table then has a row for each eighth of the time, with goroutines and
// bytes on disk.
//
// It needs Linux, since it reads /proc.
//
// # Chaos
//
// Chaos disturbs self-play on many machines (docs/cluster.md), on one machine.
//
//	go run ./tools/trials chaos --minutes 30
//
// It trains a run of a small game to its end on its own. Then it trains the same run with worker
// processes, each behind a proxy of its own, and until the time is over disturbs them at random: it
// kills workers and the trainer (SIGKILL), stops them for a while (SIGSTOP), cuts connections, lets
// none through for up to --partition, and while the trainer is dead wipes the broker's store, cuts
// its files or flips bits in them; now and then it does so while the broker runs. When the run is
// complete, games, network, average and optimizer must equal those of the undisturbed run to the
// bit, and the workers must have ended; then another begins. A process that ends by itself, other
// than at the end of a run, is an error. With --cycle asynchronous a complete run is checked by its
// own records: no game is missing or there twice.
//
// # Corrupt
//
// Corrupt damages the files of a finished run in every way that it knows, resumes the run after
// each, and checks that nothing damaged and nothing of another run is used without a word.
//
//	go run ./tools/trials corrupt --trials 2000
//
// It trains a tiny run with evaluations and the files of a cluster (games of workers in the
// journal), another one of the same shape with another seed, and a copy of the first for an
// iteration more, undisturbed. Each trial takes a copy of the first run and damages one file or one
// checkpoint's folder: flipped bits, a cut, more bytes, blocks and lines moved, doubled or lost,
// files exchanged with others of the run, those of the other run in their place, files removed or
// replaced by folders and links. Then it calls, as a person would, `tengen inspect --all`, `tengen
// compare`, `tengen export` and `tengen train --resume` for an iteration more (with --share where a
// file of the cluster was damaged).
//
// A trial is
//   - refused, if resuming ends with one line and status 1 or 2;
//   - the same, if the run ends with the network, optimizer and games of the undisturbed copy, to
//     the bit: what was damaged was not needed, or was replaced by an older file or by playing
//     again;
//   - told, if the run ends otherwise and has said what was damaged or changed;
//   - silent, if it ends otherwise without a word.
//
// The exit status is 1 if a trial is silent, a command panics, takes longer than --limit, or
// answers with more than a line. Trials are made by a process of their own, which a panic ends; the
// next one begins with the next trial. Trials follow from --seed and their number: --only 17
// repeats one and keeps its folder.
//
// # Fuzz
//
// Fuzz runs every fuzz target of the project for a given time, one after the other. What a
// target finds new is kept in its package's testdata/fuzz, as `go test` does it; what covers more
// is kept in Go's cache, from which the next call goes on.
//
//	go run ./tools/trials fuzz --time 5m
//	go run ./tools/trials fuzz --time 1m --match Segment
//
// It takes as many processes as GOMAXPROCS. Minimizing is limited to a second: FuzzHistory and
// FuzzInspect make few executions otherwise. It ends with status 1 if a target has failed, after
// all have run.
//
// # Starve
//
// Starve runs the tests of every package beside busy loops, several times and in random order,
// and keeps the output of those that fail. A test that depends on the machine's speed fails
// here sooner than it fails by chance elsewhere.
//
//	go run ./tools/trials starve --rounds 20 --out /tmp/starve
//	go run ./tools/trials starve --match cluster/worker --loops 6 --rounds 5
//
// One package runs at a time by default, with as many loops as --loops says, so that on a machine
// of two cores and six loops a test has about a quarter of a core. Rounds alternate between one and
// two processors for the Go scheduler (--procs). Test binaries are built once, in --out; a package
// whose binary is already there is not built again with --keep.
//
// Where tests shall load each other in place of idle loops, --at-once says how many packages run
// side by side; a round then takes about the processors' time that the tests themselves need:
//
//	go run ./tools/trials starve --rounds 20 --at-once 6 --loops 2
//
// Each line tells how long the tests and their processes computed, and on Linux the load: the mean
// number of threads for each processor that computed or waited for it, while they ran.
//
// With --results FILE rounds are collected over several calls, however each of them ends:
//
//	go run ./tools/trials starve --rounds 20 --results starve.jsonl --for 20m   # again and again, until no package lacks a round
//
// The file gets a line for each run: when, at which commit, which package, and whether it passed. A
// call runs what the file lacks. A result counts while the files that the tests are built from are
// the same, with the data in their folders; a change to one package of the module takes away the
// rounds of those that import it. What tests read elsewhere in the repository is not looked at.
//
// Without loops it is also how the race detector looks at all packages, once before a release, in
// as many sittings as it takes:
//
//	go run ./tools/trials starve --race --short --loops 0 --procs 4 --rounds 1 --results race.jsonl --for 1h
//
// The report has a line for each run of a package; the exit status is 1 if any has failed. It needs
// no other program. On Linux with scheduling by session, start it with setsid and write a niceness
// to /proc/self/autogroup: then all of it together yields to others, while the loops still starve
// the tests.
package main

import (
	"context"
	"errors"
	"io"

	_ "tengen/game/all"
	"tengen/tools/internal/tengen"
)

func main() { tengen.Main("trials", trial) }

// trial runs the trial that the first argument names.
func trial(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "killloop":
			return killloop(ctx, args[1:], stdout, stderr)
		case "fulldisk":
			return fulldisk(ctx, args[1:], stdout, stderr)
		case "soak":
			return soak(ctx, args[1:], stdout, stderr)
		case "chaos":
			return runChaos(ctx, args[1:], stdout, stderr)
		case "corrupt":
			return corrupt(ctx, args[1:], stdout, stderr)
		case "fuzz":
			return fuzz(ctx, args[1:], stdout, stderr)
		case "starve":
			return starve(ctx, args[1:], stdout, stderr)
		}
	}
	return errors.New(
		"the name of a trial is wanted: killloop, fulldisk, soak, chaos, corrupt, fuzz or starve")
}
