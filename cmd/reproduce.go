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
		Short: "Repeat a published experiment and compare the results",
		Long: `Reproduce repeats a published experiment and prints the published figures beside its
own. The go-… experiments are those of Driss, Arjonilla, Wang, Saffidine and Cazenave,
"Deep Reinforcement Learning for 5×5 Multiplayer Go"; the rm-… experiments those of
Taucer, Polk and Oommen, "On Addressing the Challenges of Complex Stochastic Games Using
'Representative' Moves"; the turtle-… experiments those of Przybylski and Król,
"Mastering Strategies in a Board Game of Imperfect Information for Different Search
Techniques".
Each keeps its results in a folder beside a page, and writes the page from all
results in that folder.`,
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

// madeOn describes the machine on which results are made.
func madeOn() string {
	return fmt.Sprintf("%d processors, %s kernels", cores(), kernels.Selected())
}

// resultFlags are the flags of experiments whose results are parts of a page.
type resultFlags struct {
	layout *experiments.Layout
	out    string
	json   bool
}

func (f *resultFlags) add(c *cobra.Command, layout *experiments.Layout, page string) {
	f.layout = layout
	c.Flags().StringVar(&f.out, "out", "docs/results/"+page+".md", "page to write; results are kept in a folder of its name")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// run makes parts of the page with find, one after another. It writes each part as soon as it is made, and prints it.
func (f *resultFlags) run(c *cobra.Command, seed uint64, find func(part string, made experiments.Made) (experiments.Part, error), parts ...string) error {
	page, err := experiments.ReadPage(f.out, f.layout)
	if err != nil {
		return err
	}
	for _, name := range parts {
		began := time.Now()
		part, err := find(name, experiments.Made{Command: commandLine(c), Machine: madeOn(), Seed: seed})
		if err != nil {
			return err
		}
		page.Put(name, part, time.Since(began))
		if err := page.Write(name); err != nil {
			return err
		}
		if f.json {
			err = writeJSON(c.OutOrStdout(), part)
		} else {
			_, err = fmt.Fprint(c.OutOrStdout(), page.Section(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// progressOfParts shows the progress of one search or match after another.
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

// commandLine returns the command with the flags that were given.
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
