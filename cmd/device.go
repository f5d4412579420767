package cmd

import (
	"log/slog"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/nn/backend"
	"tengen/player"
)

// addDevice adds --device.
func addDevice(flags *pflag.FlagSet, device *string) {
	flags.StringVar(device, "device", backend.Auto, "where networks are evaluated and trained: cpu, cuda, cuda:N, cuda:N,M, or auto (a CUDA device where there is one)")
}

// openDevice opens what --device names; log is told what is used, and why. Without one, a
// program that can use devices tells it on the standard error; any other has nothing to tell.
func openDevice(c *cobra.Command, device string, log *slog.Logger) (backend.Backend, error) {
	if _, err := backend.Parse(device); err != nil {
		return nil, usagef("--device: %w", err)
	}
	if w := c.ErrOrStderr(); log == nil && backend.HasCUDA() {
		log = slog.New(tint.NewTextHandler(w, &tint.Options{TimeFormat: time.TimeOnly, NoColor: !isTerminal(w)}))
	}
	return backend.Open(device, log)
}

// playOn has the networks of players evaluated by a backend.
func playOn(b backend.Backend, players ...player.Player) error {
	if b.Name() == backend.CPU {
		return nil // where they are
	}
	for _, p := range players {
		if err := player.On(p, b.Load); err != nil {
			return err
		}
	}
	return nil
}
