package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
)

// TestOverBeforeWork: a worker that waits for the queue of a run which ends meanwhile is told so,
// and not that its own work was cancelled.
func TestOverBeforeWork(t *testing.T) {
	names, err := cluster.NewNames("test")
	if err != nil {
		t.Fatal(err)
	}
	b, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: "127.0.0.1:0", Folder: t.TempDir(), Names: names, Log: logger("broker"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	conn, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &worker{o: Options{
		Conn: conn, Names: names, ID: "early", Log: logger("worker"), Now: time.Now,
	}}
	w.link = cluster.Watch(conn)
	defer w.link.Close()
	if w.js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	over, err := cluster.Encode(&cluster.Done{Finished: "run"})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{w: w, run: "run"}
	stop := make(chan struct{})
	defer close(stop)
	go func() { // as often as it takes until the worker listens
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_ = conn.PublishMsg(&nats.Msg{Subject: names.OverSubject(), Data: over})
			}
		}
	}()
	if err := s.play(context.Background()); !errors.Is(err, errFinished) {
		t.Errorf("a run that ended before its queue was found: %v", err)
	}
}
