package cmd

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"tengen/cluster"
	"tengen/cluster/worker"
	"tengen/cmd/internal/cli"
	"tengen/internal/notation"
	"tengen/internal/serve"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/selfplay"
	"tengen/trainer"
)

// workerFlags are the flags of worker.
type workerFlags struct {
	credentials cluster.Credentials
	newKey      string
	name        string
	device      string
	listen      string
	workers     int
	games       int
	stay        bool
}

func newWorker() *cobra.Command {
	var f workerFlags
	c := &cobra.Command{
		Use:   "worker [URL]",
		Short: "Play games for a run that trains on another machine",
		Long: `Worker plays games of self-play for ` + "`tengen train --share`" + ` at URL, on this machine
or another one, until the run is finished or Ctrl-C. Any number of workers may come and go
at any time; what one of them does not finish others play. While the trainer is away it
waits, with --stay also after a finished run. It needs nothing but this program, the
address, and a key if the trainer asks for one: networks and the configuration come from
the trainer.

The program must be the same build as the trainer's, and compute with the same kernels,
so that games are the same to the bit; otherwise the trainer says in what it differs.

--new-key makes a key: a file that stays on this machine, and a public key, which is
printed, for the trainer's --worker-keys.`,
		Example: `  tengen worker nats://127.0.0.1:4222
  tengen worker --new-key worker.key
  tengen worker tls://box:4222 --key worker.key --pin 5f0c…`,
		Args: cli.Arguments("[URL]"),
		RunE: func(c *cobra.Command, args []string) error { return work(c, args, &f) },
	}
	c.Flags().StringVar(&f.newKey, "new-key", "",
		"make a key, write it to this file, and print the public key")
	c.Flags().StringVar(&f.credentials.KeyFile, "key", "", "file of this worker's key")
	c.Flags().StringVar(&f.credentials.CA, "ca", "",
		"file of the certificates that sign the broker's (default: those of the system)")
	c.Flags().StringVar(&f.credentials.Pin, "pin", "",
		"SHA-256 of the broker's certificate, as train --tls-self-signed prints it")
	c.Flags().StringVar(&f.name, "cluster", cluster.DefaultName, "name of the cluster")
	c.Flags().IntVar(&f.workers, "workers", 0, "goroutines that play (default: one a processor)")
	c.Flags().IntVar(&f.games, "games-per-worker",
		0, "games that each plays at a time (default: as configured)")
	c.Flags().BoolVar(&f.stay, "stay", false, "after a finished run wait for another one")
	c.Flags().StringVar(&f.listen, "listen", "",
		"host:port of /metrics and /healthz (default: none)")
	cli.AddDevice(c.Flags(), &f.device)
	return c
}

func work(c *cobra.Command, args []string, f *workerFlags) error {
	if f.newKey != "" {
		public, err := cluster.NewKey(f.newKey)
		if err != nil {
			return fmt.Errorf("--new-key: %w", err)
		}
		_, err = fmt.Fprintln(c.OutOrStdout(), public)
		return err
	}
	if len(args) == 0 {
		return cli.Usagef("the trainer's address is missing: `%s`", notation.Command("worker", "nats://HOST:4222"))
	}
	names, err := cluster.NewNames(f.name)
	if err != nil {
		return cli.Usagef("--cluster: %w", err)
	}
	if f.workers < 0 || f.games < 0 {
		return cli.Usagef("--workers and --games-per-worker are numbers from 0")
	}
	options, id, err := f.credentials.Options()
	if err != nil {
		return cli.Usage(err)
	}
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	if id == "" {
		id = "w" + hex.EncodeToString(b)
	} else {
		id += "." + hex.EncodeToString(b[:4]) // others may have the same key
	}
	log := cli.NewLog(c.ErrOrStderr(), false)
	counters := new(selfplay.Counters)
	collectors := metrics.New(&metrics.Options{Run: "worker"})
	trainer.ObserveSelfPlay(collectors, counters)
	if f.listen != "" {
		listener, err := serve.Listen(c.Context(), f.listen)
		if err != nil {
			return cli.Usagef("--listen: %w", err)
		}
		server := serve.Start(c.Context(), listener,
			http.HandlerFunc(collectors.Handler().ServeHTTP))
		defer server.Close()
		log.Info("metrics", "at", "http://"+server.Address()+"/metrics")
	}
	waiting := func(err error) { log.Info("waiting for the trainer", "reason", err) }
	conn,
		err := cluster.Wait(c.Context(),
		args[0], waiting, append(options, nats.Name("tengen worker "+id),
			nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
				if err != nil {
					log.Info("the connection to the trainer is lost; trying again", "reason", err)
				}
			}),
			nats.ReconnectHandler(func(*nats.Conn) { log.Info("connected again") }),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
				log.Warn("connection", "reason", err)
			}))...)
	switch {
	case err != nil && c.Context().Err() != nil:
		return nil // it has only waited
	case err != nil:
		return f.explain(err, id)
	}
	defer conn.Close()
	set := []string{fmt.Sprintf("selfplay.workers=%d", f.workers)}
	if f.games > 0 {
		set = append(set, fmt.Sprintf("selfplay.games_per_worker=%d", f.games),
			fmt.Sprintf("selfplay.device_games_per_worker=%d", f.games))
	}
	return f.explain(worker.Run(c.Context(), worker.Options{
		Conn: conn, Names: names, ID: id, Build: cli.BuildName(), Set: set, Log: log, Now: time.Now,
		Counters: counters, Stay: f.stay,
		Device: func(p *trainer.Plan) (backend.Backend, error) {
			b, err := cli.OpenDevice(c, f.device, log, p.Spec)
			if err == nil {
				p.Backend = b
				memory := p.MemoryOfWorker()
				log.Info("memory", memory.Collect()...)
			}
			return b, err
		},
	}), id)
}

// explain says what to do about an error.
func (f *workerFlags) explain(err error, id string) error {
	switch {
	case errors.Is(err, cluster.ErrAddress):
		return cli.Usage(err)
	case errors.Is(err, cluster.ErrRefused) && f.credentials.KeyFile == "":
		return fmt.Errorf("%w: a key is wanted: `%s` makes one, the trainer's --worker-keys has the public key, and --key FILE uses it", err, notation.Command("worker", "--new-key", "FILE"))
	case errors.Is(err, cluster.ErrRefused):
		return fmt.Errorf("%w: the trainer's --worker-keys must have the public key of %s, %s; if it has, the trainer's log says why it was banned, which lasts until the trainer is started anew", err, f.credentials.KeyFile, cluster.Account(id))
	case errors.Is(err, cluster.ErrCertificate) && f.credentials.Pin == "":
		return fmt.Errorf("%w: --pin, which the trainer prints, or --ca says which one is", err)
	case errors.Is(err, cluster.ErrCertificate):
		return fmt.Errorf("%w: the trainer prints the right one", err)
	case errors.Is(err, cluster.ErrUnencrypted):
		return fmt.Errorf("%w: without --pin, --ca and tls:// it is not", err)
	}
	return cli.Advise(err)
}
