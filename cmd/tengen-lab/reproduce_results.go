package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/nn/backend"
	"tengen/nn/kernels"
	"tengen/research"
)

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
	terminal.NewProgress(c.ErrOrStderr(), "", "").Close() // removes that of the match in progress
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
