package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/bench"
	"tengen/cmd/internal/cli"
	_ "tengen/game/all"
	"tengen/internal/notation"
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
	return program.Main(args, stdin, stdout, stderr)
}

// Root returns the command tengen with all its commands, for documentation made from it.
func Root() *cobra.Command { return program.Root() }

// Program is a program that has the commands of tengen, and others besides.
type Program struct {
	Name, Short, Long, Example string // of the command without a name; see cobra.Command

	// More make the commands that it has besides.
	More []func() *cobra.Command
}

var program = &Program{
	Name:  "tengen",
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
}

// Main runs the program with the arguments after its name and returns the exit status.
func (p *Program) Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
			// Before anybody is told that it was noticed: the next signal has its usual effect
			// again.
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return p.Execute(ctx, args, stdin, stdout, stderr)
}

// Execute is Main without signals: the context ends the command.
func (p *Program) Execute(
	ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	root := p.Root()
	if completes(args) {
		addCompletion(root)
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	out, errs := cli.NewOutput(stdout), cli.NewOutput(stderr)
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
		fmt.Fprintf(errs, "%s: %s\n", p.Name, cli.OneLine(err))
		return exitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		text := "stopped"
		if err != context.Canceled {
			what, cut := strings.CutSuffix(cli.OneLine(err), ": "+context.Canceled.Error())
			if cut && !strings.HasPrefix(what, text) {
				what = text + ": " + what
			}
			text = what
		}
		fmt.Fprintf(errs, "%s: %s\n", p.Name, text)
		return exitStopped
	}
	fmt.Fprintf(errs, "%s: %s\n", p.Name, cli.OneLine(err))
	return exitFailed
}

// Root returns the program's command without a name, with all others.
func (p *Program) Root() *cobra.Command {
	root := cli.Group(&cobra.Command{Use: p.Name, Short: p.Short, Long: p.Long, Example: p.Example})
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: notation.Program()}
	root.Version = cli.ReadVersion().String() // --version and -v print it
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
		newEval(),
		newExploit(),
		newExport(),
		newGames(),
		newGTP(),
		newInspect(),
		newPlay(),
		newPlayers(),
		newServe(),
		newTrain(),
		newVersion(),
		newWatch(),
		newWorker(),
	)
	for _, more := range p.More {
		root.AddCommand(more())
	}
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

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build",
		Long: `Version prints the version of tengen, the source revision, the Go release and the
platform.`,
		Example: "  tengen version --json",
		Args:    cli.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			v := cli.ReadVersion()
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), v)
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), v)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
