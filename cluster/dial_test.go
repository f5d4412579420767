package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestLink: a request ends when the connection is lost, and one that is made afterwards does not.
func TestLink(t *testing.T) {
	names, err := NewNames(DefaultName)
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBroker(BrokerOptions{
		Names: names, Address: "127.0.0.1:0", Folder: t.TempDir(),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	options, _, err := new(Credentials).Options()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(b.URL(), append(options, nats.Timeout(time.Minute))...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	l := Watch(conn)
	defer l.Close()
	ctx, cancel := l.During(t.Context())
	defer cancel()
	if ctx.Err() != nil || !l.Connected() {
		t.Error("a request is over before the connection is lost")
	}
	b.Close()
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Minute):
		t.Fatal("the connection is lost, and the request goes on")
	}
	if l.Connected() {
		t.Error("the connection is lost, and there is one")
	}
	l.mu.Lock()
	now := l.now
	l.mu.Unlock()
	if next, cancel := l.During(context.Background()); now.Err() == nil && next.Err() != nil {
		t.Error("a request after the loss is over at once")
	} else {
		cancel()
	}
}

// TestWaitTellsWhy: Wait tells once why it waits, and ends with its context.
func TestWaitTellsWhy(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told := 0
	_, err := Wait(ctx, "127.0.0.1:1", func(err error) {
		if told++; err == nil {
			t.Error("it waits for no reason")
		}
		cancel()
	})
	if told != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("told %d times, then %v", told, err)
	}
	if _, err := Wait(t.Context(), "http://127.0.0.1:1", func(error) {
		t.Error("it waits for what is no address of a broker")
	}); !errors.Is(err, ErrAddress) {
		t.Errorf("an address that is none: %v", err)
	}
}

// TestFinal: trying again does not help against the errors of Dial, and may against others.
func TestFinal(t *testing.T) {
	for _, err := range []error{ErrAddress, ErrRefused, ErrCertificate, ErrUnencrypted} {
		if !final(fmt.Errorf("127.0.0.1: %w", err)) {
			t.Errorf("%v: Wait tries again", err)
		}
	}
	if final(nats.ErrNoServers) || final(context.DeadlineExceeded) {
		t.Error("Wait doesn't wait for a broker that does not answer")
	}
}

// TestOpenBroker: other machines reach a broker by TLS and with a key only.
func TestOpenBroker(t *testing.T) {
	for name, o := range map[string]BrokerOptions{
		"neither": {},
		"no key":  {TLS: new(tls.Config)},
		"no TLS":  {Workers: []string{"key"}},
	} {
		o.Address, o.Folder, o.Log = "0.0.0.0:0", t.TempDir(), slog.New(slog.DiscardHandler)
		if b, err := OpenBroker(o); !errors.Is(err, ErrOpen) {
			t.Errorf("a broker with %s: %v", name, err)
			if err == nil {
				b.Close()
			}
		}
	}
}

// TestHostPort: which addresses a broker may have.
func TestHostPort(t *testing.T) {
	for address, want := range map[string]struct {
		host string
		port int
	}{
		"box:1":     {"box", 1},
		"box:65535": {"box", 65535},
		"[::1]:42":  {"::1", 42},
		":42":       {"127.0.0.1", 42},
		"box:0":     {"box", server.RANDOM_PORT},
	} {
		if host, port, err := hostPort(address); err != nil || host != want.host ||
			port != want.port {
			t.Errorf("%s is %s, %d, %v", address, host, port, err)
		}
	}
	for _, address := range []string{
		"", "box", "box:", "box:-1", "box:65536", "box:nats", "::1:42",
	} {
		if host, port, err := hostPort(address); !errors.Is(err, ErrAddress) {
			t.Errorf("%q is %s, %d, %v", address, host, port, err)
		}
	}
}

// TestBrokerOfAPortInUse: an address that another program has is refused at once.
func TestBrokerOfAPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b, err := OpenBroker(BrokerOptions{Address: l.Addr().String(), Folder: t.TempDir()})
	var use *net.OpError
	if !errors.As(err, &use) {
		t.Errorf("%v is no error of listening", err)
	}
	if err == nil {
		b.Close()
	}
}

// TestBrokerLogs: what the server reports as an error is a warning, and details are details.
func TestBrokerLogs(t *testing.T) {
	var text bytes.Buffer
	l := logger{slog.New(slog.NewTextHandler(&text, nil))}
	l.Noticef("a detail")
	l.Errorf("an error of %d", 5)
	if got := text.String(); strings.Contains(got, "detail") ||
		!strings.Contains(got, `level=WARN msg=broker says="an error of 5"`) {
		t.Errorf("logged %q", got)
	}
	logger{}.Errorf("to nobody")
}

// TestLocal: only brokers of this machine need no TLS.
func TestLocal(t *testing.T) {
	for address, want := range map[string]bool{
		"nats://127.0.0.1:4222": true, "nats://127.9.9.9:4222": true, "tls://localhost:4222": true,
		"nats://[::1]:4222": true, "nats://192.168.0.1:4222": false, "nats://localhost.org": false,
		"nats://[::]:4222": false, "nats://0.0.0.0:4222": false, "nats://": false, "%": false,
	} {
		if Local(address) != want {
			t.Errorf("%s is local: %v", address, !want)
		}
	}
}
