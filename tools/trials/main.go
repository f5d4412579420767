//go:build linux

// Trials are experiments with a real `tengen train`: it is killed, its disk is full, it goes on for
// hours.
//
//	go run ./tools/trials killloop --kills 200
//	go run ./tools/trials fulldisk
//	go run ./tools/trials soak --minutes 120 --watched
//
// They need Linux.
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
		}
	}
	return errors.New("the name of a trial is wanted: killloop, fulldisk or soak")
}
