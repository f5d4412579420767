//go:build linux

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
