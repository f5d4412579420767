package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/nn/backend"
	"tengen/nn/kernels"
	"tengen/research"
)

func newReproduce() *cobra.Command {
	c := cli.Group(&cobra.Command{
		Use:   "reproduce",
		Short: "Repeat a published experiment and compare the results",
		Long: `Reproduce repeats a published experiment and prints the published figures beside its
own. The go-… experiments are those of Driss, Arjonilla, Wang, Saffidine and Cazenave,
"Deep Reinforcement Learning for 5×5 Multiplayer Go"; the rm-… experiments those of
Taucer, Polk and Oommen, "On Addressing the Challenges of Complex Stochastic Games Using
'Representative' Moves"; the turtle-… experiments those of Przybylski and Król,
"Mastering Strategies in a Board Game of Imperfect Information for Different Search
Techniques". Search-sweep measures options of our search, ruler the players that
strengths are measured against, and connect-four how often moves are perfect.

Each keeps its results in a folder next to a page, and writes the page from all results
in that folder. The page names the machine, and the commit of the program if go build
made it in a clone; go run keeps no commit.

All makes every table, one after the other.

Ctrl-C ends an experiment early: what it has found is printed, with the number of games,
and not written. A second Ctrl-C ends it at once.

Where networks play or are trained, they are on a CUDA device if this program supports
CUDA and the machine has one (--device), else on the processor.`,
		Example: "  tengen-lab reproduce all --quick\n  tengen-lab reproduce go-table3\n  tengen-lab reproduce descent-ablation",
	})
	c.AddCommand(newReproduceAll())
	c.AddCommand(newGoTable3(), newGoTable4(), newGoFigure3(), newGoReward(), newDescentAblation())
	c.AddCommand(newRMTable2(), newRMTable3(), newRMTable4(), newRMTable5(), newRMBeyond())
	c.AddCommand(newTurtleTables(), newTurtleBeyond(), newSearchSweep(), newRuler(),
		newConnectFour())
	return c
}

// madeOn describes this machine, with the device that evaluates networks if b is not the processor,
// and the program: 2 processors (AMD EPYC), avx2 kernels, commit 4ea552012345.
func madeOn(b backend.Backend) string {
	text := fmt.Sprintf("%s, %s kernels", cli.Processors(), kernels.Selected())
	if b != nil && b.Name() != backend.CPU {
		text += ", networks on " + b.Describe()
	}
	if source := cli.ReadVersion().Source(); source != "" {
		text += ", " + source
	}
	return text
}

// resultFlags are the flags of experiments whose results are parts of a page.
type resultFlags struct {
	layout *research.Layout
	out    string
	save   string // folder that keeps finished games; "": none
	json   bool
	device string
	// backend is the device; nil: the experiment has no networks, or it is not open.
	backend backend.Backend
}

func (f *resultFlags) add(c *cobra.Command, layout *research.Layout, page string) {
	f.layout = layout
	c.Flags().StringVar(&f.out, "out", "docs/results/"+page+".md",
		"page to write; results are kept in a folder with its name")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// addSave adds --save. of says which games are kept.
func (f *resultFlags) addSave(c *cobra.Command, of string) {
	c.Flags().StringVar(&f.save, "save", "",
		"folder for the games"+of+", from which an interrupted command goes on")
}

// addDevice adds --device.
func (f *resultFlags) addDevice(c *cobra.Command) { cli.AddDevice(c.Flags(), &f.device) }

// openDevice opens the device for an experiment that has networks; the caller closes it.
func (f *resultFlags) openDevice(c *cobra.Command) (d research.Device, err error) {
	f.backend, err = cli.OpenDevice(c, f.device, nil)
	return research.Device{Backend: f.backend}, err
}

// closeDevice closes the device.
func (f *resultFlags) closeDevice() {
	if f.backend != nil {
		_ = f.backend.Close() // nothing is lost with it
	}
}

// usage marks an error of an experiment as one in the arguments, such as a player's name, unless
// it was interrupted.
func usage(c *cobra.Command, err error) error {
	if c.Context().Err() != nil || arena.InterruptedBy(err) != nil || backend.Advice(err) != "" {
		return err
	}
	return cli.Usage(err)
}

// partOf returns what an experiment returned as a part, nil for a nil pointer.
func partOf[P interface {
	comparable
	research.Part
}](part P, err error) (research.Part, error) {
	var none P
	if part == none {
		return nil, err
	}
	return part, err
}

// run makes parts of the page with find, one after another. It writes each part as soon as it is
// made, and prints it. A part that is interrupted is printed only.
func (f *resultFlags) run(
	c *cobra.Command, seed uint64,
	find func(part string, made research.Made) (research.Part, error), parts ...string,
) error {
	page, err := research.ReadPage(f.out, f.layout)
	if err != nil {
		return err
	}
	defer cli.NoticeStop(c)()
	for _, name := range parts {
		began := time.Now()
		part, err := find(name, research.Made{
			Command: cli.CommandLine(c), Machine: madeOn(f.backend), Seed: seed,
		})
		if err != nil {
			return f.interrupted(c, name, part, time.Since(began), err)
		}
		page.Put(name, part, time.Since(began))
		if err := page.Write(name); err != nil {
			return err
		}
		if f.json {
			err = cli.WriteJSON(c.OutOrStdout(), part)
		} else {
			_, err = fmt.Fprint(c.OutOrStdout(), page.Section(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interrupted prints what a part that err ended has found, and returns the command's error.
func (f *resultFlags) interrupted(
	c *cobra.Command, name string, part research.Part, took time.Duration, err error,
) error {
	cli.NewProgress(c.ErrOrStderr(), "", "").Close() // removes that of the match in progress
	if part == nil || part.HowMade().Interrupted == nil {
		return cli.Advise(err)
	}
	text := f.layout.Interrupted(name, part, took)
	stopped := "what is printed is not complete, and is not written to " + f.out
	nothing := part.HowMade().Games == 0 && part.HowMade().Interrupted.Interrupted != nil
	if nothing {
		stopped = "too few games had ended for a result"
	}
	if f.save != "" {
		stopped += "; what --save keeps is in " + f.save +
			", and the same command goes on from there"
	}
	var failed error
	switch {
	case f.json:
		failed = cli.WriteJSON(c.OutOrStdout(), part)
	case !nothing:
		_, failed = fmt.Fprint(c.OutOrStdout(), text)
	}
	if failed != nil {
		return failed
	}
	if c.Context().Err() != nil {
		return cli.Stopped("stopped; "+stopped, err)
	}
	return cli.Advise(err)
}
