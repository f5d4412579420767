package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/experiments"
	"tengen/nn/kernels"
)

func newReproduce() *cobra.Command {
	c := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat a published experiment, theirs beside ours",
		Long: `Reproduce repeats a published experiment and prints theirs beside ours. The go-…
experiments are those of Driss, Arjonilla, Wang, Saffidine and Cazenave, "Deep
Reinforcement Learning for 5×5 Multiplayer Go", the rm-… ones those of Taucer, Polk and
Oommen, "On Addressing the Challenges of Complex Stochastic Games Using 'Representative'
Moves", the turtle-… ones those of Przybylski and Król, "Mastering Strategies in a Board
Game of Imperfect Information for Different Search Techniques". They keep what they
find in a folder beside the page that they write, and make the page anew from all that
is there.`,
		Example: "  tengen reproduce go-table3\n  tengen reproduce descent-ablation",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newGoTable3(), newGoTable4(), newGoFigure3(), newGoReward(), newDescentAblation())
	c.AddCommand(newRMTable2(), newRMTable3(), newRMTable4(), newRMTable5(), newRMBeyond())
	for number := 1; number <= 6; number++ {
		c.AddCommand(newTurtleTable(number))
	}
	c.AddCommand(newTurtleTables(), newTurtleBeyond())
	return c
}

// madeOn is what results were made on, in words.
func madeOn() string {
	return fmt.Sprintf("%d processors, %s kernels", cores(), kernels.Selected())
}

// goFlags are what the experiments of the Go paper have in common.
type goFlags struct {
	matches experiments.GoMatches
	out     string
	json    bool
}

func (f *goFlags) add(c *cobra.Command, opening bool) {
	c.Flags().IntVar(&f.matches.Games, "games", 500, "games a cell")
	c.Flags().Uint64Var(&f.matches.Seed, "seed", 1, "seed of what is drawn")
	c.Flags().IntVar(&f.matches.GamesPerWorker, "games-per-worker", 32, "games side by side on a core")
	if opening {
		c.Flags().IntVar(&f.matches.Opening, "opening", 3, "decisions drawn at random at the start of games in which nobody draws")
	}
	c.Flags().StringVar(&f.out, "out", "docs/results/go.md", "page to write; what was found lies in a folder of its name")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// run makes one part of the page: find returns it.
func (f *goFlags) run(c *cobra.Command, part string, find func(made experiments.Made) (any, error), put func(*experiments.GoPage, any)) error {
	if f.matches.Games < 2 {
		return usagef("--games %d: at least 2 are wanted", f.matches.Games)
	}
	if f.matches.Opening < 0 {
		return usagef("--opening %d: 0 or more is wanted", f.matches.Opening)
	}
	page, err := experiments.ReadGoPage(f.out)
	if err != nil {
		return err
	}
	show := progressOfParts(c)
	f.matches.Progress = func(what string, done, all int) { show(what, "games", done, all) }
	return makePart(c, page, part, f.matches.Seed, f.json, find, func(found any) { put(page, found) })
}

// progressOfParts shows the progress of one thing after another.
func progressOfParts(c *cobra.Command) func(what, unit string, done, all int) {
	var p *progress
	shown := ""
	return func(what, unit string, done, all int) {
		if what != shown {
			shown, p = what, newProgress(c.ErrOrStderr(), what, unit)
		}
		p.set(done, all)
		if done == all {
			p.close()
		}
	}
}

// resultsPage is a page of docs/results, part by part.
type resultsPage interface {
	Took(part string, d time.Duration)
	Write(part string) error
	Part(part string) string
}

// makePart makes one part of a page with find, puts it there with put, writes the page and
// prints the part.
func makePart(c *cobra.Command, page resultsPage, part string, seed uint64, asJSON bool, find func(made experiments.Made) (any, error), put func(found any)) error {
	began := time.Now()
	found, err := find(experiments.Made{Command: commandLine(c), Machine: madeOn(), Seed: seed})
	if err != nil {
		return err
	}
	put(found)
	page.Took(part, time.Since(began))
	if err := page.Write(part); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), found)
	}
	_, err = fmt.Fprint(c.OutOrStdout(), page.Part(part))
	return err
}

// commandLine is the command with the flags that were given.
func commandLine(c *cobra.Command) string {
	line := append([]string{c.CommandPath()}, c.Flags().Args()...)
	c.Flags().Visit(func(f *pflag.Flag) {
		switch v, list := f.Value.(pflag.SliceValue); {
		case f.Name == "out" || f.Name == "json" || f.Name == "dir":
		case list:
			for _, x := range v.GetSlice() {
				line = append(line, "--"+f.Name, x)
			}
		default:
			line = append(line, "--"+f.Name, f.Value.String())
		}
	})
	return strings.Join(line, " ")
}
