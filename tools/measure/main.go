package main

import (
	"context"
	"errors"
	"io"

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
		}
	}
	return errors.New("what to measure is wanted: busy, clocks, costs or pageload")
}
