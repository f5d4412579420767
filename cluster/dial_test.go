package cluster

import (
	"context"
	"log/slog"
	"testing"
	"time"

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
	if ctx.Err() != nil {
		t.Error("a request is over before the connection is lost")
	}
	b.Close()
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Minute):
		t.Fatal("the connection is lost, and the request goes on")
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
