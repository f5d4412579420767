package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/arena"
	"tengen/cluster"
	"tengen/cluster/hub"
	"tengen/configs"
	"tengen/internal/notation"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/replay/record"
	"tengen/run"
	"tengen/trainer"
	"tengen/vfs"
)

// ShareFlags are the flags of train, lab and arena for workers on other machines.
type ShareFlags struct {
	Address, External string
	name              string
	keys              string
	cert, key         string
	selfSigned        bool
	credentials       cluster.Credentials
	replicas          int
}

func (f *ShareFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Address, "share", "",
		"host:port at which workers get games to play (tengen worker)")
	flags.StringVar(&f.External, "nats", "",
		"URL of an external NATS server with JetStream, in place of --share")
	flags.StringVar(&f.name, "cluster", cluster.DefaultName,
		"name of the cluster; runs that share an external server need different ones")
	flags.StringVar(&f.keys, "worker-keys", "",
		"with --share: file of the workers' public keys, one a line (tengen worker --new-key)")
	flags.StringVar(&f.cert, "tls-cert", "", "with --share: file of the certificate")
	flags.StringVar(&f.key, "tls-key", "", "with --share: file of the certificate's key")
	flags.BoolVar(&f.selfSigned, "tls-self-signed",
		false, "with --share: make a certificate, which workers know by its pin")
	flags.StringVar(&f.credentials.KeyFile, "nats-key", "",
		"with --nats: file of the trainer's key (an nkey seed)")
	flags.StringVar(&f.credentials.CA, "nats-ca", "",
		"with --nats: file of the certificates that sign the server's")
	flags.IntVar(&f.replicas, "nats-replicas", 1, "with --nats: servers that hold each stream")
}

// fit returns an error if a flag is given without the one that it goes with.
func (f *ShareFlags) fit(flags *pflag.FlagSet) (err error) {
	with := map[string]string{
		"worker-keys": "share", "tls-cert": "share", "tls-key": "share", "tls-self-signed": "share",
		"nats-key": "nats", "nats-ca": "nats", "nats-replicas": "nats",
	}
	flags.Visit(func(x *pflag.Flag) {
		switch other := with[x.Name]; {
		case err != nil:
		case other != "" && !flags.Changed(other):
			err = Usagef("--%s goes with --%s", x.Name, other)
		case x.Name == "cluster" && f.Address == "" && f.External == "":
			err = Usagef("--cluster goes with --share or --nats")
		}
	})
	return err
}

// Sharing is what a command needs for workers on other machines; nil without any.
type Sharing struct {
	flags  *ShareFlags
	names  cluster.Names
	log    *slog.Logger
	lock   io.Closer       // of what the folder has of the cluster
	broker *cluster.Broker // nil if it is external
	conn   *nats.Conn
	hub    *hub.Hub
	past   map[string]bool // runs of earlier hubs

	temporary string // a folder that close removes; "" for none
}

// Share lets workers on other machines play the run's games, if flags say so.
func Share(
	c *cobra.Command, f *ShareFlags, folder run.Folder, resume bool, plan *trainer.Plan,
	log *slog.Logger, m *metrics.Metrics,
) (*Sharing, error) {
	s, err := f.Connect(c, folder, log)
	if s == nil || err != nil {
		return nil, err
	}
	if err := s.Open(c.Context(), folder, resume, plan, m); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Connect opens the broker, if flags say so, with what it keeps in a folder.
func (f *ShareFlags) Connect(
	c *cobra.Command, folder run.Folder, log *slog.Logger,
) (s *Sharing, err error) {
	if err := f.fit(c.Flags()); err != nil {
		return nil, err
	}
	if f.Address == "" && f.External == "" {
		return nil, nil
	}
	if f.Address != "" && f.External != "" {
		return nil,
			Usagef("--share has a broker of its own, and --nats uses another one: leave one of them out")
	}
	names, err := cluster.NewNames(f.name)
	if err != nil {
		return nil, Usagef("--cluster: %w", err)
	}
	s = &Sharing{flags: f, names: names, log: log, past: map[string]bool{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	dir := filepath.Join(string(folder), run.ClusterFolder)
	if err := vfs.MkdirAll(vfs.OS{}, dir); err != nil {
		return nil, err
	}
	// The run's own lock comes too late: the broker and the journal are opened before.
	if s.lock, err = (vfs.OS{}).Lock(filepath.Join(dir, run.LockFile), CommandLine(c)); err != nil {
		return nil, err
	}
	if f.External != "" {
		options, _, err := f.credentials.Options()
		if err != nil {
			return nil, Usagef("--nats: %w", err)
		}
		s.conn, err = cluster.Dial(f.External, append(options, nats.Name("tengen trainer"))...)
		switch {
		case errors.Is(err, cluster.ErrAddress):
			return nil, Usagef("--nats %w", err)
		case errors.Is(err, cluster.ErrRefused):
			return nil,
				fmt.Errorf("--nats %w: --nats-key is the file of a key that the server knows", err)
		case errors.Is(err, cluster.ErrCertificate):
			return nil, fmt.Errorf("--nats %w: --nats-ca has the certificates that sign it", err)
		case err != nil:
			return nil, fmt.Errorf("--nats %w", err)
		}
		command := []string{"worker", f.External}
		if f.name != cluster.DefaultName {
			command = append(command, "--cluster", f.name)
		}
		log.Info("games for other machines", "with", notation.Command(command...))
	} else if err := s.openBroker(f, folder, names, log); err != nil {
		return nil, err
	}
	return s, nil
}

// Open lets workers play games of a run, and of matches of its game. What was open before is
// closed.
func (s *Sharing) Open(
	ctx context.Context, folder run.Folder, resume bool, plan *trainer.Plan, m *metrics.Metrics,
) error {
	if s.hub != nil {
		s.past[s.hub.Run()] = true
		if err := s.hub.Close(); err != nil {
			s.hub = nil
			return err
		}
		s.hub = nil
	}
	log := s.log
	o := hub.Options{
		Conn: s.conn, Names: s.names, Folder: string(folder), Resume: resume, Config: plan.Config,
		Play: &plan.Play, Past: s.past,
		Build: cluster.Build{
			Build: BuildName(), Records: record.Version, Kernels: plan.Backend.Kernels(),
		},
		Log: log, Metrics: m, Now: time.Now, Replicas: s.flags.replicas,
	}
	if s.broker != nil {
		o.Ban = func(account string) {
			if err := s.broker.Ban(account); err != nil {
				log.Warn("the broker still lets a worker in of which nothing counts", "worker",
					account, "reason", err)
			}
		}
	}
	h, err := hub.Open(ctx, o)
	if err != nil {
		return err
	}
	s.hub = h
	plan.Play.Remote, plan.Matches = s.hub, s.hub
	return nil
}

func (s *Sharing) openBroker(
	f *ShareFlags, folder run.Folder, names cluster.Names, log *slog.Logger,
) (err error) {
	o := cluster.BrokerOptions{
		Address: f.Address, Folder: filepath.Join(string(folder), run.ClusterFolder),
		Names: names, Log: log,
	}
	if f.keys != "" {
		if o.Workers, err = cluster.ReadWorkers(f.keys); err != nil {
			return Usagef("--worker-keys: %w", err)
		}
		if len(o.Workers) == 0 {
			return Usagef("--worker-keys: %s has no key; `%s` makes one",
				f.keys, notation.Command("worker", "--new-key", "FILE"))
		}
	}
	pin := ""
	switch {
	case f.selfSigned && f.cert != "":
		return Usagef(
			"--tls-self-signed makes a certificate, and --tls-cert has one: leave one of them out")
	case (f.cert == "") != (f.key == ""):
		return Usagef("--tls-cert and --tls-key go together")
	case f.selfSigned:
		o.TLS, pin, err = cluster.SelfSigned(o.Folder, time.Now())
	case f.cert != "":
		o.TLS, err = cluster.LoadTLS(f.cert, f.key)
	}
	if err != nil {
		return fmt.Errorf("TLS: %w", err)
	}
	switch s.broker, err = cluster.OpenBroker(o); {
	case errors.Is(err, cluster.ErrAddress), errors.Is(err, cluster.ErrOpen):
		return Usagef("--share: %w", err)
	case err != nil:
		return fmt.Errorf("--share: %w", err)
	}
	if s.conn, err = s.broker.Connect(); err != nil {
		return err
	}
	command := []string{"worker", reachable(s.broker.URL())}
	if len(o.Workers) > 0 {
		command = append(command, "--key", "FILE")
	}
	if pin != "" {
		command = append(command, "--pin", pin)
	}
	log.Info("games for other machines", "with", notation.Command(command...))
	return nil
}

// reachable returns the address of a broker as other machines know it: with this machine's name if
// it listens on all addresses.
func reachable(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	name, err := os.Hostname()
	if ip := net.ParseIP(u.Hostname()); err == nil && ip != nil && ip.IsUnspecified() {
		u.Host = net.JoinHostPort(name, u.Port())
	}
	return u.String()
}

// Status returns what is known of workers on other machines; nil without any.
func (s *Sharing) Status() func() run.Cluster {
	if s == nil {
		return nil
	}
	return s.hub.Status
}

// Finish tells workers that the run is finished.
func (s *Sharing) Finish(ctx context.Context) {
	if s != nil && s.hub != nil {
		s.hub.Finish(ctx)
	}
}

func (s *Sharing) Close() {
	if s == nil {
		return
	}
	log := s.log
	if s.hub != nil {
		if err := s.hub.Close(); err != nil {
			log.Warn("the cluster's journal is not closed", "reason", err)
		}
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.broker != nil {
		s.broker.Close()
	}
	if s.lock != nil {
		if err := s.lock.Close(); err != nil {
			log.Warn("the cluster's lock is not released", "reason", err)
		}
	}
	if s.temporary != "" {
		if err := os.RemoveAll(s.temporary); err != nil {
			log.Warn("a temporary folder is not removed", "reason", err)
		}
	}
}

// Matches lets workers on other machines play games of a match, if flags say so. names are those of
// its players, as player.Parse reads them.
func (f *ShareFlags) Matches(
	c *cobra.Command, t *arena.Tournament, names []string, b backend.Backend,
) (*Sharing, error) {
	if f.Address == "" && f.External == "" {
		return nil, f.fit(c.Flags())
	}
	players := make([]arena.Contestant, len(names))
	for i, name := range names {
		var err error
		if players[i], err = contestant(t, i, name); err != nil {
			return nil, Usagef("--share: %w", err)
		}
	}
	config := configs.Default()
	config.Game = t.Game.Name()
	plan, err := trainer.NewPlan(&config)
	if err != nil {
		return nil, fmt.Errorf("--share: %w", err)
	}
	plan.Backend = b
	dir, err := os.MkdirTemp("", "tengen-arena-")
	if err != nil {
		return nil, err
	}
	stderr := c.ErrOrStderr()
	s, err := Share(c, f, run.Folder(dir), false, plan, NewLog(stderr, IsTerminal(stderr)),
		metrics.New(nil))
	if err != nil {
		return nil, cleared(dir, err)
	}
	s.temporary = dir
	t.Remote = s.hub.Match(players)
	return s, nil
}

// cleared removes a temporary folder after an error.
func cleared(dir string, err error) error {
	_ = os.RemoveAll(dir) // the error is told
	return err
}

// contestant describes a player of a match to workers.
func contestant(t *arena.Tournament, i int, name string) (x arena.Contestant, err error) {
	p := t.Players[i]
	if player.IsTimed(p) {
		return x,
			fmt.Errorf(
				"player %q: its moves are limited by time, and would be others on another machine",
				name)
	}
	of, err := player.GameOf(name)
	if err != nil {
		return x, err
	}
	if of != "" && of != t.Game.Name() {
		return x, fmt.Errorf("player %q: its network learned %s, and the match is of %s",
			name, of, t.Game.Name())
	}
	text, config, err := player.Elsewhere(name)
	if err != nil {
		return x, err
	}
	x = arena.Contestant{Player: text, Params: player.Parameters(p)}
	if config != nil {
		written, err := config.YAML()
		if err != nil {
			return x, err
		}
		x.Config = string(written)
	}
	return x, nil
}
