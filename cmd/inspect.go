package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/internal/notation"
	"tengen/run"
	"tengen/run/inspect"
)

func newInspect() *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "inspect PATH[:N]",
		Short: "Print what a file or folder of tengen contains, and verify it",
		Long: `Inspect prints what PATH is, what it contains, and which parts of it are damaged. It
changes nothing and can be used during training. PATH is one of these:

  a run's folder       its configuration, newest checkpoint, games, workers' games that wait, and who holds its lock
  checkpoints          a folder of them, or one: sizes, SHA-256, network, counters;
                       RUN@10 is the checkpoint of iteration 10
  *.safetensors        a network, or any tensors with their metadata
  replay, *.games      a run's games, or one segment of them: checksums and contents
  match.jsonl          games of ` + "`tengen arena --save`" + `, or a game in JSON
  gtp-match.jsonl      games of ` + "`tengen gtp --against … --save`" + `
  config.yaml          a configuration; errors with their lines
  events.jsonl         the event log of a run
  eval/games.jsonl, eval/000042.json, eval/ratings.json
  *.onnx               an exported network; its contents are not checked
  go/table3.json       and other JSON files of ` + "`tengen-lab reproduce`" + `

In a folder of checkpoints the newest intact one is verified; damaged newer ones are
listed. --all verifies every checkpoint, replays every game by its rules, and lists all
parts.

PATH:N prints game N of a run, of a folder of segments, of a segment or of a match;
with --json as docs/formats/game.md describes, for ` + "`tengen play --replay`" + ` and
` + "`tengen analyze`" + `.

Remains of a crash, such as an incomplete last record whose game was played again, are
notes, not damage. If something is damaged, the exit status is 1.`,
		Example: `  tengen inspect runs/quick
  tengen inspect runs/quick --all --json
  tengen inspect runs/quick@20
  tengen inspect runs/quick/checkpoints/000020/model.safetensors
  tengen inspect runs/quick:1234`,
		Args: cli.Arguments("PATH[:N]"),
		RunE: func(c *cobra.Command, args []string) error {
			path, number, one, err := inspect.Split(run.Path(args[0]))
			if err != nil {
				return inspectError(err)
			}
			if one {
				return inspectGame(c, path, number, asJSON)
			}
			p := cli.NewProgress(c.ErrOrStderr(), "reading games", "segments")
			report, err := inspect.Look(c.Context(), path, inspect.Options{
				All: all, Progress: p.Set,
			})
			p.Close()
			if err != nil {
				return inspectError(err)
			}
			if asJSON {
				err = cli.WriteJSON(c.OutOrStdout(), report)
			} else {
				err = cli.WriteReport(c.OutOrStdout(), report)
			}
			if err != nil {
				return err
			}
			return report.Verdict()
		},
	}
	c.Flags().BoolVar(&all, "all",
		false, "verify every checkpoint, replay every game, list all parts")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// inspectError turns refusals of package inspect into usage errors.
func inspectError(err error) error {
	var refusal *inspect.Refusal
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Unknown:
		return cli.Usagef("%w; `%s` lists what can be inspected",
			err, notation.Command("inspect", "--help"))
	}
	return cli.Usage(err)
}

// inspectGame prints one game.
func inspectGame(c *cobra.Command, path string, number uint64, asJSON bool) error {
	g, damaged, err := inspect.FindGame(c.Context(), path, number)
	for _, f := range damaged {
		cli.Warn(c, "%s", f)
	}
	if err != nil {
		return inspectError(err)
	}
	if asJSON {
		err = cli.WriteJSON(c.OutOrStdout(), g)
	} else {
		err = cli.WriteGame(c.OutOrStdout(), g)
	}
	if err == nil && g.Wrong != nil {
		err = fmt.Errorf("%s: %w", g.Path, g.Wrong)
	}
	return err
}
