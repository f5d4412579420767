package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"tengen/internal/notation"
)

// BrokerOptions describe an embedded broker.
type BrokerOptions struct {
	Address string // host:port; without a host 127.0.0.1. Port 0 selects a free one
	// its store is the folder nats in it, of which nothing is kept from one OpenBroker to the next
	Folder string
	Names  Names
	// Workers are the public keys of the workers that may connect. Without any, every program that
	// can reach Address may; that is allowed on loopback alone.
	Workers []string
	TLS     *tls.Config // required unless Address is on loopback
	Log     *slog.Logger
}

// Broker is an embedded broker.
type Broker struct {
	server *server.Server
	admin  nkeys.KeyPair

	mu      sync.Mutex
	options *server.Options // without the keys that are banned
}

// ErrOpen is wrapped by the error about a broker that other machines could reach without a key.
var ErrOpen = errors.New("can be reached from other machines")

// maxStore bounds the broker's store in bytes. When GAMES is full, workers wait.
const maxStore = 4 << 30

// OpenBroker starts a broker.
func OpenBroker(o BrokerOptions) (*Broker, error) {
	host, port, err := hostPort(o.Address)
	if err != nil {
		return nil, err
	}
	if !loopback(host) && (o.TLS == nil || len(o.Workers) == 0) {
		return nil, fmt.Errorf("%s %w: TLS (--tls-cert, --tls-key, or --tls-self-signed) and the workers' keys (--worker-keys) are wanted", o.Address, ErrOpen)
	}
	if port != server.RANDOM_PORT {
		// The server would only try again.
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return nil, fmt.Errorf("broker: %w", err)
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("broker: %w", err)
		}
	}
	admin, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	public, err := admin.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	c := &server.Options{
		ServerName: "tengen", Host: host, Port: port,
		JetStream: true, StoreDir: filepath.Join(o.Folder, "nats"), JetStreamMaxStore: maxStore,
		JetStreamMaxMemory: 64 << 20,
		// The trainer's disk is the truth: whatever the broker loses is played again. So it need
		// not fsync each message.
		SyncAlways: false,
		MaxPayload: MaxMessage, MaxPending: 8 * MaxMessage,
		NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		TLSConfig: o.TLS, TLS: o.TLS != nil, TLSTimeout: 5, AuthTimeout: 5,
		PingInterval: 10 * time.Second, MaxPingsOut: 3, WriteDeadline: 20 * time.Second,
		MaxControlLine: 4096,
	}
	c.Nkeys = []*server.NkeyUser{{Nkey: public}}
	if len(o.Workers) == 0 {
		c.Users = []*server.User{
			{Username: anyWorker, Password: anyWorker, Permissions: permissions(o.Names, "*")},
		}
		c.NoAuthUser = anyWorker
	}
	for _, w := range o.Workers {
		if !nkeys.IsValidPublicUserKey(w) {
			return nil, fmt.Errorf("%q is no worker's public key; `%s` makes one",
				w, notation.Command("worker", "--new-key", "FILE"))
		}
		c.Nkeys = append(c.Nkeys, &server.NkeyUser{Nkey: w, Permissions: permissions(o.Names, w)})
	}
	// Nothing in the store is needed again: the trainer gives out what is missing and puts its
	// networks there, and workers send again what the trainer has not confirmed. A store that was
	// damaged, or cut off by a crash, could do harm.
	if err := os.RemoveAll(c.StoreDir); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	options := c.Clone() // NewServer changes its own
	s, err := server.NewServer(c)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	s.SetLogger(logger{o.Log}, false, false)
	go s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("broker: it does not listen on %s after 10 seconds", o.Address)
	}
	return &Broker{server: s, admin: admin, options: options}, nil
}

// Ban ends the connections of the workers with a key, and lets none in any more. Workers without a
// key stay: they could come back with another name.
func (b *Broker) Ban(public string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := slices.DeleteFunc(slices.Clone(b.options.Nkeys), func(u *server.NkeyUser) bool {
		return u.Nkey == public
	})
	if len(left) == len(b.options.Nkeys) {
		return nil
	}
	b.options.Nkeys = left
	if err := b.server.ReloadOptions(b.options.Clone()); err != nil {
		return fmt.Errorf("broker: %w", err)
	}
	return nil
}

const anyWorker = "worker"

// permissions are what a worker may do: pull WORK and MATCHES and acknowledge them, publish its own
// games and its own Hello, read WEIGHTS.
func permissions(n Names, worker string) *server.Permissions {
	bucket := "OBJ_" + n.Weights()
	inbox := "_INBOX." + worker + ".>"
	if worker == "*" {
		inbox = "_INBOX.>"
	}
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			n.GamesSubject(worker), n.GamesSubject(worker + ".*"), n.HelloSubject(worker),
			n.HelloSubject(worker + ".*"),
			"$JS.API.CONSUMER.INFO." + n.Work() + "." + WorkConsumer,
			"$JS.API.CONSUMER.MSG.NEXT." + n.Work() + "." + WorkConsumer,
			"$JS.ACK." + n.Work() + "." + WorkConsumer + ".>",
			"$JS.API.CONSUMER.INFO." + n.Matches() + "." + MatchConsumer,
			"$JS.API.CONSUMER.MSG.NEXT." + n.Matches() + "." + MatchConsumer,
			"$JS.ACK." + n.Matches() + "." + MatchConsumer + ".>",
			"$JS.API.STREAM.INFO." + bucket,
			"$JS.API.DIRECT.GET." + bucket + ".>",
			"$JS.API.STREAM.MSG.GET." + bucket,
			"$JS.API.CONSUMER.CREATE." + bucket + ".>",
			"$JS.API.CONSUMER.DELETE." + bucket + ".>",
			"$JS.FC." + bucket + ".>",
		}},
		Subscribe: &server.SubjectPermission{
			Allow: []string{
				inbox, n.DoneSubject(worker), n.DoneSubject(worker + ".*"), n.OverSubject(),
			},
		},
	}
}

// URL returns the address at which workers reach the broker.
func (b *Broker) URL() string { return b.server.ClientURL() }

// Connect connects the trainer to the broker, without the network.
func (b *Broker) Connect() (*nats.Conn, error) {
	public, err := b.admin.PublicKey()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect("", nats.InProcessServer(b.server), nats.Name("trainer"),
		nats.MaxReconnects(-1), nats.Timeout(time.Minute), nats.FlusherTimeout(writeTime),
		nats.Nkey(public, func(nonce []byte) ([]byte, error) { return b.admin.Sign(nonce) }))
	if err != nil {
		return nil, fmt.Errorf("connect to the broker: %w", err)
	}
	return nc, nil
}

// Close ends the broker. Its store stays.
func (b *Broker) Close() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// hostPort splits an address.
func hostPort(address string) (host string, port int, err error) {
	host, p, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(p)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("%q: %w; host:port, such as 127.0.0.1:4222, is wanted",
			address, ErrAddress)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// loopback reports whether a host is this machine, for this machine alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Local reports whether a broker's URL is of this machine, so that no TLS is needed.
func Local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && loopback(u.Hostname())
}

// logger passes what the server logs on: errors as warnings, the rest as details.
type logger struct{ log *slog.Logger }

func (l logger) tell(level slog.Level, format string, v []any) {
	if l.log != nil {
		l.log.Log(context.Background(), level, "broker", "says", fmt.Sprintf(format, v...))
	}
}

func (l logger) Noticef(format string, v ...any) { l.tell(slog.LevelDebug, format, v) }
func (l logger) Warnf(format string, v ...any)   { l.tell(slog.LevelDebug, format, v) }
func (l logger) Errorf(format string, v ...any)  { l.tell(slog.LevelWarn, format, v) }
func (l logger) Fatalf(format string, v ...any)  { l.tell(slog.LevelError, format, v) }
func (l logger) Debugf(string, ...any)           {}
func (l logger) Tracef(string, ...any)           {}
