package cli

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/cmd/internal/terminal"
	"tengen/nn"
	"tengen/nn/backend"
)

// AddDevice adds --device.
func AddDevice(flags *pflag.FlagSet, device *string) {
	flags.StringVar(device, "device", backend.Auto, "where networks are evaluated and trained: cpu, cuda, cuda:N, cuda:N,M, or auto (a CUDA device if there is one)")
}

// OpenDevice opens the device that --device names. It logs what is used and why: to log, or if
// that is nil and the program supports devices, to the standard error. The device is for the
// networks; see backend.Open.
func OpenDevice(
	c *cobra.Command, device string, log *slog.Logger, networks ...nn.Spec,
) (backend.Backend, error) {
	if _, err := backend.Parse(device); err != nil {
		return nil, Usagef("--device: %w", err)
	}
	if w := c.ErrOrStderr(); log == nil && backend.HasCUDA() {
		log = NewLog(w, terminal.IsTerminal(w))
	}
	return backend.Open(device, log, networks...)
}

// Advise adds to an error of a device what to do about it (backend.Advice).
func Advise(err error) error {
	if advice := backend.Advice(err); advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

// NewLog returns a log of lines, coloured if color is true.
func NewLog(w io.Writer, color bool) *slog.Logger {
	if color {
		w = terminal.Colored(w)
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{
		TimeFormat: time.TimeOnly, NoColor: !color,
	}))
}
