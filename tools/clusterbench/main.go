//go:build linux

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
