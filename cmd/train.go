package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/run"
	"tengen/run/history"
	"tengen/trainer"
	"tengen/web"
	v1 "tengen/web/api/v1"
)

func newTrain() *cobra.Command {
	var flags trainFlags
	c := &cobra.Command{
		Use:   "train [CONFIG]",
		Short: "Train a network by self-play",
		Long: `Train plays games against itself, trains a network on them, and keeps the network in the
folder of the run (--run), where ` + "`tengen eval`" + ` and ` + "`tengen play`" + ` find it. CONFIG is a
preset or a YAML file; ` + "`tengen config`" + ` prints all its values. The default, quick, learns
three-player 5×5 Go within the hour on two cores.

Ctrl-C ends training within a second, keeps all that is finished and prints the command
that continues the run (--resume). The games and the update that were under way are then
repeated. An interrupted run ends with the same network as an uninterrupted one.

A resumed run uses the configuration in its folder. Each key that CONFIG, the environment
or --set changes is printed. Changes to how the run is executed and observed, to its
length and to its learning rate are accepted; schedules then follow the new length.
Changes to the game, the network's shape and the seed are refused. All other keys, such
as search.simulations, can be changed with --set only. With --or-resume the same command
begins a run and goes on with it, for programs that start it again whenever it ends.

--init starts a new run with a trained network of the same shape or a smaller one. It is
extended to the blocks, filters and hidden units of the new network without changing
what it computes. The optimizer starts afresh. The warm start is as configured: if the
network is stronger than UCT, turn UCT off with --set warm_start.schedule=none
--set warm_start.initial_games=0.

Networks are evaluated and trained on the processor, or on a CUDA device if this program
supports CUDA and the machine has a device (--device). A run can be resumed on either.

During training, a page at the address that is printed shows curves and games, and has a
board to play against the network; ` + "`tengen serve`" + ` serves the same page afterwards. The
page is accessible from this machine only, unless --listen says otherwise.

With --share, workers on other machines play games too: see ` + "`tengen worker`" + `. A broker
is part of the program; --nats uses an external one. The address must be of this machine,
unless workers have keys and the connection is encrypted: --worker-keys with
--tls-self-signed, or with --tls-cert and --tls-key. The weights are the same as without
workers, to the bit, unless training.cycle is asynchronous.

If the disk is full, training waits for free space. Any other failed write ends it; all
finished work is kept.`,
		Example: `  tengen train
  tengen train --run runs/mine --set seed=7 --set search.simulations=64
  tengen train --resume --run runs/mine
  tengen train --resume --run runs/mine --set training.iterations=30
  tengen train --init go-5x5x3 --run runs/deeper --set network.blocks=6
  tengen train paper-alphazero --dry-run
  tengen train --share 127.0.0.1:4222
  tengen train --share 0.0.0.0:4222 --worker-keys workers.txt --tls-self-signed`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error { return train(c, args, &flags) },
	}
	flags.config.Add(c.Flags())
	c.Flags().StringVar(&flags.run, "run", "",
		"folder of the run (default: runs/NAME, after CONFIG)")
	c.Flags().BoolVar(&flags.resume, "resume", false, "resume the run in the folder")
	c.Flags().BoolVar(&flags.orResume, "or-resume",
		false, "resume the run if the folder holds one, else begin it")
	c.Flags().StringVar(&flags.init, "init", "",
		"start with the network of this run, checkpoint or name, in place of random weights")
	c.Flags().BoolVar(&flags.dry, "dry-run",
		false, "estimate time and memory from a short measurement, and write nothing")
	c.Flags().BoolVar(&flags.json, "json", false, "with --dry-run: print JSON")
	cli.AddDevice(c.Flags(), &flags.device)
	c.Flags().StringVar(&flags.listen, "listen", "", "host:port of the live page and the metrics, or none (default: metrics.address of the configuration)")
	c.Flags().StringVar(&flags.token, "token-file", "",
		"file with the page's token (default: none on loopback, elsewhere a random one)")
	c.Flags().StringVar(&flags.tensorboard, "tensorboard", "", "folder for event files of TensorBoard, written while the run goes on, with its configuration")
	flags.share.Add(c.Flags())
	return c
}

type trainFlags struct {
	share  cli.ShareFlags
	config cli.ConfigFlags
	run    string
	init   string
	listen string
	device string
	token  string // file that holds it
	resume bool
	// orResume is resume if the folder holds a run.
	orResume bool
	// tensorboard is the folder of event files, "" for none.
	tensorboard string
	dry         bool
	json        bool
}

// folder returns the run's folder.
func (f *trainFlags) folder(args []string) run.Folder {
	if f.run != "" {
		return run.Folder(f.run)
	}
	name := configs.DefaultPreset
	if len(args) > 0 {
		name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	}
	return run.Folder(filepath.Join("runs", name))
}

func train(c *cobra.Command, args []string, f *trainFlags) error {
	folder := f.folder(args)
	if f.orResume && folder.Exists() {
		f.resume, f.init = true, "" // it has begun with that network
	}
	if f.resume && f.init != "" {
		return cli.Usagef(
			"--init begins a new run, and --resume goes on with one: leave one of them out")
	}
	var r *configs.Resolved
	var changes []configs.Change
	var err error
	if f.resume {
		r, changes, err = f.resumed(c, folder, args)
	} else {
		r, err = f.config.Resolve(args)
	}
	if err != nil {
		return err
	}
	if f.json && !f.dry {
		return cli.Usagef("--json goes with --dry-run; a run's history is in its events.jsonl")
	}
	plan, err := trainer.NewPlan(&r.Config)
	if err != nil {
		return cli.Usage(err)
	}
	var init *trainer.Init
	if f.init != "" {
		if init, err = plan.NewInit(f.init); err != nil {
			return cli.Usagef("--init %w", err)
		}
	}
	if f.dry {
		b, err := cli.OpenDevice(c, f.device, nil, plan.Spec)
		if err != nil {
			return err
		}
		defer b.Close()
		plan.Backend = b
		return dryRun(c, plan, folder, f.json)
	}
	if !f.resume && folder.Exists() {
		return fmt.Errorf("%s already holds a run: --resume goes on with it, --run DIR puts the new one elsewhere", folder)
	}

	for _, path := range []struct {
		flag, name string
	}{{"--run", string(folder)}, {"--tensorboard", f.tensorboard}} {
		if info, err := os.Stat(path.name); err == nil && !info.IsDir() {
			return cli.Usagef("%s %s: it is a file; a folder is wanted", path.flag, path.name)
		}
		if err := writable(path.name); err != nil {
			return cli.Usagef("%s %s: %w", path.flag, path.name, err)
		}
	}
	if err := f.checkPage(); err != nil {
		return err
	}
	monitor := new(trainer.Monitor)
	screen := cli.NewScreen(c.ErrOrStderr(), monitor)
	screen.Unit = game.ScoreUnit(plan.Game)
	defer screen.Close()
	log := cli.NewLog(screen, screen.Color)
	b, err := cli.OpenDevice(c, f.device, log, plan.Spec)
	if err != nil {
		return err
	}
	defer b.Close()
	plan.Backend = b
	if err := plan.CheckBatch(); err != nil { // before the broker has a folder
		return err
	}
	memory, err := plan.Memory(c.Context())
	if err != nil {
		return err
	}
	if warning, err := memory.Fit(); err != nil {
		return cli.Usage(err)
	} else if warning != "" {
		log.Warn(warning)
	}
	log.Info("memory", memory.Collect()...)
	disk := plan.Disk(&memory, folder)
	if warning := disk.Fit(); warning != "" {
		log.Warn(warning)
	}
	log.Info("disk", disk.Attributes()...)
	collectors := metrics.New(&metrics.Options{Run: folder.Name(), Folder: string(folder)})
	shared, err := cli.Share(c, &f.share, folder, f.resume, plan, log, collectors)
	if err != nil {
		return err
	}
	defer shared.Close()
	// The page is there until the run has ended, after Ctrl-C too, and tells how.
	server, err := servePage(context.WithoutCancel(c.Context()), r, f, log, web.Options{
		Folder: string(folder), Config: &r.Config, Status: monitor.Status,
		Metrics: collectors.Handler(), Cluster: shared.Status(),
		Devices: func() []v1.Device { return pageDevices(collectors.ReadDevices()) },
	})
	if err != nil {
		return err
	}
	if server != nil {
		defer server.Close()
	}
	log.Info("training", "game", plan.Game.Name(), "network", cli.Network(plan.Spec), "run",
		string(folder),
		"iterations", r.Config.Training.Iterations, "games_an_iteration",
		r.Config.Training.Games, "workers", plan.Workers, "kernels", plan.Backend.Kernels())
	if r.Config.Search.Belief > 0 && plan.Backend.Name() != backend.CPU {
		log.Info("self-play evaluates beliefs on the processor")
	}

	if init != nil {
		for _, e := range init.PassedOver {
			log.Warn("a damaged checkpoint is passed over", "reason", e)
		}
		log.Info("the run begins with the weights of another", "network", init.From)
	}
	stopBoard := followBoard(f.tensorboard, string(folder), log)
	defer stopBoard()
	screen.Begin()
	defer context.AfterFunc(c.Context(), func() {
		log.Info("stopping: --resume goes on from what is finished; a second Ctrl-C ends at once")
	})()
	err = trainer.Run(c.Context(), trainer.Options{
		Plan: plan, Folder: folder, Resume: f.resume, Monitor: monitor, Metrics: collectors,
		Log: log, Now: time.Now,
		Command: cli.CommandLine(c), Init: init, Changes: changes,
	})
	stopBoard()
	if err == nil {
		shared.Finish(c.Context())
	}
	screen.Close()
	status := monitor.Status()
	err = cli.Advise(err)
	switch {
	case err == nil:
		fmt.Fprintf(c.ErrOrStderr(), "trained for %d iterations; measure it against UCT with: %s\n",
			status.Iteration, evaluating(c, folder))
		return nil
	case !folder.Exists() && c.Context().Err() != nil:
		return cli.Stopped(
			fmt.Sprintf(
				"stopped after iteration %d of %d; the folder %s is gone, and the run with it",
				status.Iteration, status.Iterations, notation.Plain(string(folder))), err)
	case !folder.Exists() && status.Iterations > 0:
		return fmt.Errorf("%w; the folder %s is gone, and the run with it",
			err, notation.Plain(string(folder)))
	case errors.Is(err, context.Canceled) && c.Context().Err() != nil:
		return cli.Stopped(
			fmt.Sprintf("stopped after iteration %d of %d, nothing is lost; go on with: %s",
				status.Iteration, status.Iterations, resuming(c, folder)), err)
	case status.Iterations > 0: // it was under way
		return fmt.Errorf(
			"%w; the run stands at iteration %d of %d, what is finished is kept; go on with: %s",
			err, status.Iteration, status.Iterations, resuming(c, folder))
	}
	return err
}

// pageDevices returns readings of devices for the page.
func pageDevices(list []metrics.Device) []v1.Device {
	var devices []v1.Device
	for _, d := range list {
		devices = append(devices, v1.Device{
			Name: d.Name, Utilization: d.Utilization, MemoryUsed: d.MemoryUsed,
			MemoryTotal: d.MemoryTotal,
			Power:       d.Power, Temperature: d.Temperature, Lost: d.Lost > 0,
		})
	}
	return devices
}

// boardInterval is the interval between looks for what is to be written for TensorBoard.
const boardInterval = 5 * time.Second

// followBoard writes event files of TensorBoard to dir while the run in a folder goes on, until the
// function that it returns is called; nothing if dir is "".
func followBoard(dir, folder string, log *slog.Logger) (stop func()) {
	if dir == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := history.Follow(ctx, folder, dir, boardInterval); err != nil {
			log.Warn("nothing more is written for TensorBoard", "reason", err)
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-done
	})
}

// dryRunTime is the duration of the measurement of --dry-run; only tests change it.
var dryRunTime = 10 * time.Second

func dryRun(c *cobra.Command, p *trainer.Plan, folder run.Folder, asJSON bool) error {
	fmt.Fprintf(c.ErrOrStderr(), "measuring for %v …\n", dryRunTime)
	e, err := trainer.Measure(c.Context(), p, dryRunTime)
	if err != nil {
		return err
	}
	e.Disk = p.Disk(&e.Memory, folder)
	if asJSON {
		return cli.WriteJSON(c.OutOrStdout(), e)
	}
	return writeEstimate(c.OutOrStdout(), p, e)
}

func writeEstimate(w io.Writer, p *trainer.Plan, e *trainer.Estimate) error {
	span := func(s float64) string {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	list := []cli.Figure{
		{"parameters", fmt.Sprintf("%d", e.Parameters)},
		{"memory, about", e.Memory.String()},
		{"disk, up to", e.Disk.String()},
		{
			"evaluations", fmt.Sprintf("%.0f a second, %.0f a game (%.0f plies)",
				e.EvaluationsPerSecond, e.EvaluationsPerGame, e.PliesPerGame),
		},
		{"UCT's games", fmt.Sprintf("%.1f a second", e.UCTGamesPerSecond)},
		{"training steps", fmt.Sprintf("%.1f a second, %d in all", e.StepsPerSecond, e.Steps)},
		{"iterations", fmt.Sprintf("%d of %d", e.Iterations, p.Config.Training.Iterations)},
		{"self-play", fmt.Sprintf("%s for %d games", span(e.SelfPlaySeconds), e.Games)},
		{"updates", span(e.UpdateSeconds)},
		{"in all, about", span(e.TotalSeconds) + ", evaluations not counted"},
	}
	switch warning, err := e.Memory.Fit(); {
	case err != nil:
		list = append(list, cli.Figure{"", err.Error() + ": the run would be refused"})
	case warning != "":
		list = append(list, cli.Figure{"", warning})
	}
	if warning := e.Disk.Fit(); warning != "" {
		list = append(list, cli.Figure{"", warning})
	}
	list = append(list,
		cli.Figure{
			"assuming", fmt.Sprintf("games as long as UCT's (%.0f plies), and a machine as fast as during these seconds", e.PliesPerGame),
		})
	if cycle := p.Config.Training.Cycle; cycle != configs.CycleSynchronous {
		list = append(list, cli.Figure{"", fmt.Sprintf("that games and updates share the processors or the device, so that a %s cycle takes as long as a synchronous one less what that idles", cycle)})
	}
	if minutes := p.Config.Training.Minutes; minutes > 0 && e.TotalSeconds >= 60*minutes {
		list = append(list,
			cli.Figure{
				"", fmt.Sprintf("that it ends after training.minutes, %g, in iteration %d",
					minutes, e.Iterations),
			})
	}
	return cli.WriteFigures(w,
		fmt.Sprintf("%s, %s, %d workers, %d games at a time",
			p.Game.Name(), cli.Network(p.Spec), e.Workers, e.GamesAtOnce), list)
}

// checkPage returns an error for an address or a token that the page could not be served with,
// before anything has begun.
func (f *trainFlags) checkPage() error {
	if f.listen == "none" {
		return nil
	}
	if f.listen != "" {
		if _, _, err := net.SplitHostPort(f.listen); err != nil {
			return cli.Usagef(
				"--listen: listen on %s: %w; host:port, such as 127.0.0.1:9464, is wanted",
				f.listen, err)
		}
	}
	_, err := pageToken(f.token)
	return err
}

// usualPage is the address of the live page in presets; a variable for tests.
var usualPage = "127.0.0.1:9464"

// pageAddress returns the address of the live page, and who names it; by is "" if it is no person.
func (f *trainFlags) pageAddress(r *configs.Resolved) (address, by string) {
	if f.listen != "" {
		return f.listen, "--listen"
	}
	address = r.Config.Metrics.Address
	if source := r.Sources["metrics.address"]; source.Set || source.Environment != "" ||
		address != usualPage {
		by = fmt.Sprintf("metrics.address (%s)", source)
	}
	return address, by
}

// servePage serves the live page and the metrics of a run in training. If nobody has named its port
// and another program has it, the next free one is taken.
func servePage(
	ctx context.Context, r *configs.Resolved, f *trainFlags, log *slog.Logger, o web.Options,
) (*web.Server, error) {
	address, by := f.pageAddress(r)
	if address == "" || address == "none" {
		return nil, nil
	}
	var err error
	o.Near = by == ""
	if o.Token, err = pageToken(f.token); err != nil {
		return nil, err
	}
	o.Log = log
	server, err := web.Serve(ctx, address, o)
	switch {
	case err != nil && by != "":
		return nil, cli.Usagef("%s: %w", by, err)
	case err != nil:
		// Asked for by a preset, not by a person: the run is worth more.
		log.Warn("neither the live page nor metrics are served", "reason", err)
		return nil, nil
	}
	log.Info("live page",
		append([]any{"at", pageURL(server, f.token)}, pageNotes(server, address)...)...)
	page, _, _ := strings.Cut(server.URL(), "?")
	log.Info("metrics", "at", page+"metrics")
	return server, nil
}
