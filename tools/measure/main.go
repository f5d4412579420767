// Measure tells how busy a device is, whether clocks are kept, what hostile files cost, what
// clients of the page cost a run, and what workers on other machines do to one.
//
// # Busy
//
// Busy trains with a modelled device (package nn/backend/fake), which computes nothing and
// takes the time that an H100 would, and tells how busy each cycle keeps it.
//
//	go run ./tools/measure busy                              # the preset paper-alphazero, five minutes a cycle
//	go run ./tools/measure busy --minutes 1 --slower 8       # as beside 8 times as many cores
//	go run ./tools/measure busy --cycle asynchronous --set selfplay.workers=2 --set search.leaves=4
//
// It plays, records, writes and trains as `tengen train` does, in a temporary folder, without
// evaluations, and stops when the time is over. The start counts, when all games are at their first
// position.
//
// The cores' own work, above all the trees, limits what a device is given. --slower 8 makes the
// device 8 times slower in all that it does: the games in flight, the batches and what they leave
// idle are those of the whole device, and two cores stand for sixteen.
//
// It prints, of each cycle, the share of the time in which the device computed something (busy, as
// nvidia-smi tells it), the share of what it could have computed (work), the evaluations a second,
// and what the processor did meanwhile: the share of the cores' time that this process had, and the
// time of a core for each evaluation. Where the cores are at their end and the device is not, the
// trees limit.
//
// --block 10 and --calls 10us add what small batches cost: blocks of threads that are not full, and
// the driver's calls. --pack=false leaves out the packs in which a device evaluates small batches
// that would wait for each other.
//
// The exit status is 1 if the device of an asynchronous cycle was busy for less than --least.
//
// # Clocks
//
// Clocks plays games of Go between processes of `tengen gtp`, many at once so that the machine
// is loaded, and counts how often a player oversteps its clock.
//
//	go run ./tools/measure clocks --games 1000 --at-once 100
//
// Each side of each game is a process of its own, as with any program that speaks the Go Text
// Protocol. The tool has its own clock: it counts the time from the moment when it sends
// genmove until it has read the answer, so that it also counts what the engine does not see. With
// --time-left it tells the engines its clock before each move, as some programs do and others
// don't.
//
// With 100 games at once, 100 processes search all the time. On a machine of two processors
// each gets a 50th part, and waits for it.
//
// The exit status is 1 if a clock has been overstepped.
//
// # Costs
//
// Costs measures what hostile files and lines cost: for each format the most memory in use at a
// time and processor time that n bytes took, over files that are nested, repeated, or full of
// absurd numbers, as a table.
//
//	go run ./tools/measure costs --kib 1024
//
// The bound is testkit.Usual, of which tests hold small files (TestCosts) and, with -tags slow,
// large ones (TestLarge). The exit status is 1 if something costs more. Segments of the replay, SGF
// and files of keys have more tests of their own in their packages.
//
// # Pageload
//
// Pageload loads the page of a run that is trained, in every way that clients may, and measures
// what training loses, how long a visitor waits for an answer, and how much memory the process
// takes.
//
//	go run ./tools/measure pageload --rounds 3 --seconds 5
//	go run ./tools/measure pageload --match 'token|games'
//
// For each kind of load, rounds of a quiet and a loaded time follow each other, and the positions
// that self-play evaluates a second in both are compared: the loss is what the loaded times lack.
// Clients with the token begin four seconds earlier, so that they have taken what is saved up while
// nobody asks. Meanwhile a visitor with the token asks for the status, one request after the other.
// On a machine with taskset the trainer has the first core for itself, and the clients have the
// others; so what clients compute is not counted, and what they cost the trainer is a share of one
// core.
//
// The exit status is 1 if training loses more than 3 % by clients without the token, or 10 % by
// those with it (--without, --with), if a visitor waits for longer than a second (--wait) or gets
// another answer than the status, or if the process takes more memory than --memory MiB more than
// at the beginning. It needs Linux, since it reads /proc.
//
// # Beside
//
// Beside compares self-play with worker processes (docs/cluster.md) with one process.
//
//	go run ./tools/measure beside --rounds 3
//
// It trains the same run in one process and, in turn, with worker processes beside the trainer,
// and compares the time. Games and networks of both are the same, so the ratio of the times is that
// of the evaluations a second; the first iteration, in which workers join, does not count. --least
// makes a smaller ratio an error.
//
// # Crowd
//
// Crowd lets many simulated workers send their games to one trainer.
//
//	go run ./tools/measure crowd --workers 1000
//
// It starts a trainer as a process of its own, whose network is evaluated and trained by a
// modelled device (package nn/backend/fake), and simulated workers, which send finished games
// that they have played before. All else is real: connections, messages, the check against the
// rules, fsync. It tells the games acknowledged a second, the share of the slowest worker, the time
// from a block to its acknowledgement, and what both processes used of memory and cores. --games
// takes the games from the folder of a run, whose game must be that of --config; by default games
// are played at random.
//
// # Grow
//
// Grow makes a long run of a short one: the games, curves, evaluations and networks are the short
// run's, again and again, and every file is valid, so that `tengen train --resume` continues the
// run, and serve, watch, compare, export and inspect read it.
//
//	go run ./tools/measure grow --run runs/long --iterations 200000 --games 150000
//	go run ./tools/measure grow --from runs/quick --run runs/long --set training.games=10
//
// The window has --games games. Without --from a short run of three-player 5x5 Go is trained first,
// which takes about a minute. --set changes the configuration as if the run had begun with it.
//
// # Scale
//
// Scale measures how the costs of a run grow with its length: it grows runs of several sizes, and
// measures processor time and memory of resuming, training, showing, comparing and exporting them.
//
//	go run ./tools/measure scale
//	go run ./tools/measure scale --sizes 20000:50000,900000:500000 --json
//
// It prints a table with the exponent of each cost: the slope of its logarithm over that of the
// size, by least squares; 0 is flat, and 1 proportional. It needs Linux, and disk for the largest
// run: 3 GB for 900,000 iterations and 500,000 games. Runs have at most 1,000,000 iterations,
// those that are made after resumption included.
//
// # Bursts
//
// Bursts is Tengen's side of the comparison with PyTorch in torch/compare.py, a worker process. It
// evaluates or trains the network of the multiplayer Go paper in bursts, on request.
//
//	measure bursts infer|train BLOCKS FILTERS BATCH
//
// When it is ready, it prints "ready". Each line of standard input is a number of seconds: the
// worker processes batches for that long, at least one, and prints a line of JSON with the number
// of positions, the wall-clock and user CPU seconds they took, and its peak memory in bytes.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	_ "tengen/game/all"
	"tengen/tools/internal/tengen"
)

func main() { tengen.Main("measure", measure) }

// measure makes the measurement that the first argument names.
func measure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "busy":
			return busy(ctx, args[1:], stdout, stderr)
		case "clocks":
			return clocks(ctx, args[1:], stdout, stderr)
		case "costs":
			return costs(ctx, args[1:], stdout, stderr)
		case "pageload":
			return pageload(ctx, args[1:], stdout, stderr)
		case "beside":
			return runBeside(ctx, args[1:], stdout, stderr)
		case "crowd":
			return runCrowd(ctx, args[1:], stdout, stderr)
		case "bursts":
			return bursts(args[1:], os.Stdin, stdout)
		case "grow":
			return grow(ctx, args[1:], stdout, stderr)
		case "scale":
			return runScale(ctx, args[1:], stdout, stderr)
		case "trainer": // a part of crowd
			return runTrainer(ctx, args[1:], stdout, stderr)
		}
	}
	return errors.New(
		"what to measure is wanted: busy, clocks, costs, pageload, beside, crowd, bursts, grow or scale")
}
