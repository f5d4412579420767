package tengen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main runs a tool until it returns or is interrupted, and exits with status 1
// after an error.
func Main(
	name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error,
) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil &&
		!errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Options are the flags that tools have in common.
type Options struct {
	Dir     string   // folder for the runs
	Program string   // path of tengen
	Set     []string // further settings of the runs
	JSON    bool     // print JSON
}

// Flags returns a tool's flags, the common ones included. help comes before them
// in the text for --help.
func (o *Options) Flags(name, help string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Dir, "dir", "", "folder for the runs (default: a temporary one)")
	flags.StringVar(&o.Program, "tengen", "", "program to run (default: it is built)")
	flags.Func("set",
		"further setting of the run, key=value; may be repeated", func(s string) error {
			o.Set = append(o.Set, s)
			return nil
		})
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.Usage = func() {
		fmt.Fprint(stderr, help)
		flags.PrintDefaults()
	}
	return flags
}

// Prepare creates a temporary folder if Dir is empty, and builds tengen there if
// Program is empty. temporary is that folder, which the caller removes, or "".
func (o *Options) Prepare(ctx context.Context, name string) (temporary string, err error) {
	if o.Dir == "" {
		if temporary, err = os.MkdirTemp("", name+"-"); err != nil {
			return "", err
		}
		o.Dir = temporary
	}
	if o.Program == "" {
		o.Program, err = Build(ctx, o.Dir)
	}
	return temporary, err
}
