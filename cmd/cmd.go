package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/cmd/internal/bench"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	_ "tengen/game/all"
	"tengen/internal/plain"
	"tengen/nn/kernels"
)

// Exit statuses; see the package's documentation.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitStopped = 130
)

// Main runs tengen with the arguments after the program's name and returns the exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			// Before anybody is told that it was noticed: the next signal has its usual effect again.
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return execute(ctx, args, stdin, stdout, stderr)
}

// execute is Main without signals.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out, errs := terminal.NewOutput(stdout), terminal.NewOutput(stderr)
	root.SetOut(out)
	root.SetErr(errs)
	defer func() { _, _ = out.Close(), errs.Close() }() // nobody is left to be told
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var usage *cli.UsageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(errs, "tengen: %s\n", terminal.OneLine(err))
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		text := "stopped"
		if err != context.Canceled {
			text = terminal.OneLine(err)
		}
		fmt.Fprintf(errs, "tengen: %s\n", text)
		return exitStopped
	}
	fmt.Fprintf(errs, "tengen: %s\n", terminal.OneLine(err))
	return exitFailed
}

// Root returns the command tengen with all its commands, for documentation made from it.
func Root() *cobra.Command { return newRoot() }

func newRoot() *cobra.Command {
	root := cli.Group(&cobra.Command{
		Use:   "tengen",
		Short: "Train game players by self-play, play with them, measure them",
		Long: `Tengen trains players of games by self-play, for any number of players.

A game is written as in "go:size=5,players=3", a player as in "uct:simulations=180". A
configuration is a preset or a YAML file. Its keys can also be set in the environment
(TENGEN_SEARCH_SIMULATIONS=90) and on the command line (--set search.simulations=90).

Networks are evaluated with the fastest kernels that the processor supports.
TENGEN_KERNELS=portable, avx2, avx512 or neon (arm64) selects others.`,
		Example: `  tengen train
  tengen eval runs/quick
  tengen games
  tengen config quick --sources
  tengen play --game tictactoe human uct`,
	})
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: plain.Program()}
	root.Version = readVersion().String() // --version and -v print it
	root.SetVersionTemplate("{{.Version}}\n")
	cli.WrapHelp(root)
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(cli.FlagError)
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if err := cli.CheckWords(c, args); err != nil {
			return err
		}
		_, err := kernels.Select()
		return cli.Usage(err)
	}
	root.AddCommand(
		newAnalysis(),
		newAnalyze(),
		newArena(),
		bench.New(),
		newCompare(),
		newConfig(),
		newBelief(),
		newEval(),
		newExploit(),
		newLoss(),
		newGnubg(),
		newExport(),
		newReproduce(),
		newGames(),
		newGTP(),
		newInspect(),
		newLab(),
		newPlay(),
		newPlayers(),
		newServe(),
		newTrain(),
		newVersion(),
		newWatch(),
		newWorker(),
	)
	addCompletion(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			knownTopics(c)
		case "completion":
			cli.Group(c)
		}
	}
	return root
}

// knownTopics has the command help refuse words that are no commands.
func knownTopics(help *cobra.Command) {
	run := help.Run
	help.Run = nil
	help.RunE = func(c *cobra.Command, args []string) error {
		if about, rest, err := c.Root().Find(args); err != nil || len(rest) > 0 {
			return cli.UnknownCommand(about, args[len(args)-len(rest)])
		}
		run(c, args)
		return nil
	}
}

// stoppedError says what a signal ended and how to continue.
type stoppedError struct {
	text string
	err  error // the context's
}

func (s *stoppedError) Error() string { return s.text }
func (s *stoppedError) Unwrap() error { return s.err }

// noticeStop prints a line if a command does not end soon after its context has: the decisions in
// progress are awaited. The function that it returns is called when there is nothing more to await.
func noticeStop(c *cobra.Command) (done func()) {
	ended, told := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(c.Context(), func() {
		defer close(told)
		select {
		case <-ended:
		case <-time.After(time.Second):
			fmt.Fprintln(c.ErrOrStderr(), "stopping after the moves in progress; a second Ctrl-C ends at once, without a result")
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		if !stop() {
			<-told // the line does not come after those of the end
		}
	})
}

// commandLine returns the command with the flags that were given, for records of what has made something.
func commandLine(c *cobra.Command) string {
	words := []string{c.Root().Name()}
	if c.HasParent() {
		words = append(words, strings.Fields(cli.NameOf(c))...)
	}
	words = append(words, c.Flags().Args()...)
	words = append(words, given(c, "out", "json", "dir", "save")...)
	for i, w := range words {
		words[i] = plain.Shell(w)
	}
	return strings.Join(words, " ")
}

// given returns the flags that were given, as words, without some of them.
func given(c *cobra.Command, without ...string) (words []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		switch v, list := f.Value.(pflag.SliceValue); {
		case slices.Contains(without, f.Name):
		case list:
			for _, x := range v.GetSlice() {
				words = append(words, "--"+f.Name, x)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			words = append(words, "--"+f.Name)
		case f.Value.Type() == "bool": // whose value is no word of its own
			words = append(words, "--"+f.Name+"="+f.Value.String())
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return words
}
