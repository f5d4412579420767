package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	_ "tengen/game/all"
	"tengen/nn/kernels"
)

// Exit statuses; see the package's documentation.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 130
)

// Main runs tengen with the arguments after the program's name and returns the
// exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// Once stopped, the next signal has its usual effect again.
	context.AfterFunc(ctx, stop)
	return execute(ctx, args, stdin, stdout, stderr)
}

// execute is Main without signals.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "tengen: %s\n", oneLine(err))
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		text := "stopped"
		if err != context.Canceled {
			text = oneLine(err)
		}
		fmt.Fprintf(stderr, "tengen: %s\n", text)
		return exitStopped
	}
	fmt.Fprintf(stderr, "tengen: %s\n", oneLine(err))
	return exitFailed
}

// oneLine is an error's text without line breaks.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func newRoot() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "tengen",
		Short: "Train game players by self-play, play with them, measure them",
		Long: `Tengen trains players of games by self-play, for any number of players.

A game is written as in "go:size=5,players=3", a player as in
"uct:simulations=180". A configuration is a preset's name or a YAML file; its
keys can be set in the environment (TENGEN_SEARCH_SIMULATIONS=90) and on the
command line (--set search.simulations=90).

Networks run on the fastest kernels that the processor has;
TENGEN_KERNELS=portable, avx2 or avx512 forces others.`,
		Example: `  tengen train
  tengen eval runs/quick
  tengen games
  tengen config quick --sources
  tengen play --game tictactoe human uct`,
	})
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		_, err := kernels.Select()
		return usage(err)
	}
	root.AddCommand(
		newAnalyze(),
		newArena(),
		newBench(),
		newCompare(),
		newConfig(),
		newEval(),
		newExport(),
		newReproduce(),
		newGames(),
		newGTP(),
		newInspect(),
		newPlay(),
		newServe(),
		newTrain(),
		newVersion(),
		newWatch(),
	)
	return root
}

// group makes c a command that only holds others: alone it prints its help, and
// a word that is none of them is an error that suggests the nearest.
func group(c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return unknownCommand(c, args[0])
	}
	return c
}

// writeJSON writes v as one indented JSON document.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
