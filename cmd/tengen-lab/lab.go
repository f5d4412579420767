package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/research"
	"tengen/research/lab"
	"tengen/run"
	"tengen/trainer"
)

// labFlags are the flags of lab.
type labFlags struct {
	dir, out, device string
	parallel         int
	dry, json        bool
	share            cli.ShareFlags
}

func newLab() *cobra.Command {
	var f labFlags
	c := &cobra.Command{
		Use:   "lab FILE",
		Short: "Compare ways to train: arms × seeds, with intervals over seeds",
		Long: `Lab trains the arms of a YAML file, each from several seeds, to equal network evaluations
(training.evaluations) or time (training.minutes). Every network then plays every network
of the first arm, in all seatings. The page has each arm's difference in Elo to the first
arm, with a 95 % interval of Student's t over seeds. docs/lab.md describes the file.

Runs and matches are kept in --dir. After Ctrl-C or a crash the same command goes on, and
does only what is missing; so it does after arms, seeds or games were added. An arm that
was changed is trained anew in another folder, and its old run stays.

The page (Markdown, with pictures and lab.json in a folder beside it) is written after
each run and each match, and says what is missing.

--parallel N trains N runs, and plays N matches, side by side. The cores are divided among
them. Networks are the same, unless their time is limited.

With --share HOST:PORT other machines play games of runs and matches too (tengen worker), as in
` + "`tengen train`" + `; docs/cluster.md describes it. Networks and results are the same.`,
		Example: `  tengen-lab lab research/labs/example.yaml
  tengen-lab lab research/labs/go5.yaml --dry-run
  tengen-lab lab research/labs/go5.yaml --parallel 2 --out docs/results/learning/go5.md
  tengen-lab lab research/labs/go5.yaml --share 127.0.0.1:4222`,
		Args: cli.Arguments("FILE"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.dir, "dir", "",
		"folder of the runs and matches (default: runs/lab/NAME, after FILE)")
	c.Flags().StringVar(&f.out, "out", "", "page to write (default: lab.md in --dir)")
	c.Flags().IntVar(&f.parallel, "parallel", 1, "runs, and matches, side by side")
	c.Flags().BoolVar(&f.dry, "dry-run",
		false, "print what is missing and how long it will take, and write nothing")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cli.AddDevice(c.Flags(), &f.device)
	f.share.Add(c.Flags())
	return c
}

func (f *labFlags) run(c *cobra.Command, path string) error {
	if f.parallel < 1 || f.parallel > cli.Cores() {
		return cli.Usagef("--parallel %d: 1 to %d is wanted, the number of cores",
			f.parallel, cli.Cores())
	}
	file, err := lab.Read(path)
	if err != nil {
		return cli.Usage(err)
	}
	stderr := c.ErrOrStderr()
	log := cli.NewLog(stderr, cli.IsTerminal(stderr))
	b, err := cli.OpenDevice(c, f.device, nil)
	if err != nil {
		return err
	}
	defer b.Close()
	if f.parallel > 1 && b.Name() != backend.CPU {
		return cli.Usagef("--parallel %d: on a device runs are made one after the other; --device cpu uses the cores", f.parallel)
	}
	o := lab.Options{
		Dir: f.dir, Parallel: f.parallel, Cores: cli.Cores(), Log: log, Command: cli.CommandLine(c),
		Device: research.Device{Backend: b},
	}
	if o.Dir == "" {
		o.Dir = lab.DefaultDir(path)
	}
	if f.out == "" {
		f.out = filepath.Join(o.Dir, "lab.md")
	}
	l, err := lab.New(file, o.Device)
	if err != nil {
		return usage(c, err)
	}
	if f.dry {
		todo, err := l.Todo(c.Context(), o, dryRunTime)
		if err != nil {
			return cli.Advise(err)
		}
		if f.json {
			return cli.WriteJSON(c.OutOrStdout(), todo)
		}
		return todo.WriteText(c.OutOrStdout())
	}
	return f.train(c, l, o)
}

// dryRunTime is the duration of each measurement of --dry-run; only tests change it.
var dryRunTime = 3 * time.Second

// train runs a lab and writes its page.
func (f *labFlags) train(c *cobra.Command, l *lab.Lab, o lab.Options) error {
	page, err := research.ReadPage(f.out, lab.Layout)
	if err != nil {
		return err
	}
	shared, err := f.shareRuns(c, &o)
	if err != nil {
		return err
	}
	defer shared.Close()
	began := time.Now()
	machine := madeOn(o.Device.Backend)
	write := func(r *lab.Result) error {
		r.Command, r.Machine = o.Command, machine
		page.Put(lab.Part, r, time.Since(began))
		return page.Write(lab.Part)
	}
	o.Finished = write
	show := cli.Parts(c.ErrOrStderr())
	o.Progress = show
	defer cli.NoticeStop(c)()
	result, err := l.Run(c.Context(), o)
	cli.NewProgress(c.ErrOrStderr(), "", "").Close()
	if err == nil {
		shared.Finish(c.Context())
	}
	if result == nil {
		return cli.Advise(err)
	}
	if failed := write(result); failed != nil {
		return failed
	}
	if err != nil && c.Context().Err() != nil {
		err = cli.Stopped(fmt.Sprintf("stopped; %d of %d runs are trained and %d of %d matches played, %s says what they tell, and the same command goes on",
			result.RunsTrained, result.Runs, result.MatchesPlayed, result.Matches, f.out), err)
	}
	if f.json {
		if failed := cli.WriteJSON(c.OutOrStdout(), result); failed != nil {
			return failed
		}
	}
	if err != nil || f.json {
		return cli.Advise(err)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s\nwritten to %s\n", page.Markdown(), f.out)
	return err
}

// shareRuns lets workers on other machines play games of a lab's runs and matches, if flags say so.
func (f *labFlags) shareRuns(c *cobra.Command, o *lab.Options) (*cli.Sharing, error) {
	if o.Parallel > 1 && (f.share.Address != "" || f.share.External != "") {
		return nil, cli.Usagef("--parallel %d: workers play for one run after the other; leave --parallel or --share out", o.Parallel)
	}
	s, err := f.share.Connect(c, run.Folder(o.Dir), o.Log)
	if s == nil || err != nil {
		return nil, err
	}
	o.Share = func(ctx context.Context, folder run.Folder, plan *trainer.Plan) error {
		return s.Open(ctx, folder, folder.Exists(), plan, metrics.New(nil))
	}
	return s, nil
}
