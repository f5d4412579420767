//go:build linux

// Clusterbench measures and disturbs self-play on many machines (docs/cluster.md), on one machine.
//
//	go run ./tools/clusterbench beside --rounds 3        # with worker processes against one process
//	go run ./tools/clusterbench crowd --workers 1000     # simulated workers against one trainer
//	go run ./tools/clusterbench chaos --minutes 30       # kills, stops, partitions, a damaged broker's store
//
// Beside trains the same run in one process and, in turn, with worker processes beside the trainer,
// and compares the time. Games and networks of both are the same, so the ratio of the times is that
// of the evaluations a second; the first iteration, in which workers join, does not count. --least
// makes a smaller ratio an error.
//
// Crowd starts a trainer as a process of its own, whose network is evaluated and trained by a
// modelled device (package nn/backend/fake), and simulated workers, which send finished games
// that they have played before. All else is real: connections, messages, the check against the
// rules, fsync. It tells the games acknowledged a second, the share of the slowest worker, the time
// from a block to its acknowledgement, and what both processes used of memory and cores. --games
// takes the games from the folder of a run, whose game must be that of --config; by default games
// are played at random.
//
// Chaos trains a run of a small game to its end on its own. Then it trains the same run with worker
// processes, each behind a proxy of its own, and until the time is over disturbs them at random: it
// kills workers and the trainer (SIGKILL), stops them for a while (SIGSTOP), cuts connections, lets
// none through for up to --partition, and while the trainer is dead wipes the broker's store, cuts
// its files or flips bits in them; now and then it does so while the broker runs. When the run is
// complete, games, network, average and optimizer must equal those of the undisturbed run to the
// bit, and the workers must have ended; then another begins. A process that ends by itself, other
// than at the end of a run, is an error. With --cycle asynchronous a complete run is checked by its
// own records: no game is missing or there twice.
//
// The exit status is 1 if a check fails. Clusterbench needs Linux.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	_ "tengen/game/all"
	"tengen/tools/internal/tengen"
)

func main() { tengen.Main("clusterbench", bench) }

const usage = `Clusterbench measures and disturbs self-play on many machines, on one machine.

  go run ./tools/clusterbench beside --rounds 3
  go run ./tools/clusterbench crowd --workers 1000
  go run ./tools/clusterbench chaos --minutes 30

  beside  worker processes beside a trainer against the same run in one process
  crowd   simulated workers, which send finished games, against one trainer
  chaos   kills, stops, partitions and a damaged broker's store; the result must be the same

Each has --help of its own.
`

func bench(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	part := ""
	if len(args) > 0 {
		part = args[0]
	}
	switch part {
	case "beside":
		return runBeside(ctx, args[1:], stdout, stderr)
	case "crowd":
		return runCrowd(ctx, args[1:], stdout, stderr)
	case "trainer":
		return runTrainer(ctx, args[1:], stdout, stderr)
	case "chaos":
		return runChaos(ctx, args[1:], stdout, stderr)
	case "-h", "-help", "--help", "help":
		_, err := io.WriteString(stdout, usage)
		return err
	}
	return fmt.Errorf("%q: beside, crowd or chaos is wanted; --help describes them", part)
}

// write prints a report, as JSON or as text.
func write(w io.Writer, asJSON bool, r fmt.Stringer) error {
	if !asJSON {
		_, err := io.WriteString(w, r.String())
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
