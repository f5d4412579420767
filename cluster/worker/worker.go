package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/cluster"
	"tengen/configs"
	"tengen/nn/backend"
	"tengen/selfplay"
	"tengen/trainer"
)

// Options describe a worker.
type Options struct {
	Conn  *nats.Conn // which reconnects by itself
	Names cluster.Names
	ID    string // its name in subjects: its public key if it has one
	Host  string // for people; "": the host's name
	Build string // version and revision of the program
	// Set overrides keys of the run's configuration that do not change games, such as
	// selfplay.workers.
	Set []string
	// Device is opened once the network's shape is known.
	Device func(*trainer.Plan) (backend.Backend, error)
	Log    *slog.Logger     // required
	Now    func() time.Time // required
	// Counters, if not nil, counts what is played. The functions in it are called too.
	Counters *selfplay.Counters
	// HelloEvery is the time between two Hellos; 0: 5 seconds.
	HelloEvery time.Duration
	// Stay goes on after a finished run and waits for another one.
	Stay bool
}

// Times.
const (
	helloTimeout = 3 * time.Second
	refusedWait  = 15 * time.Second // until a worker that was refused asks again
	reportEvery  = 5 * time.Second
	progress     = 20 * time.Second // a block's message is marked as being worked on
	resend       = 30 * time.Second // a batch is sent again
	leaveTime    = 2 * time.Second  // for the last words
)

// worker is a worker. One session after another uses it.
type worker struct {
	o          Options
	link       *cluster.Link
	js         jetstream.JetStream
	counters   *selfplay.Counters
	finished   atomic.Uint64 // games that the trainer has
	matchGames atomic.Uint64 // games of matches that were sent
	rate       atomic.Uint64 // evaluations a second, rounded
	over       bool          // the run is finished, and it has been told
}

// Run plays for the trainer until its run is finished or ctx ends, neither of which is an error. It
// waits while the trainer is away.
func Run(ctx context.Context, o Options) error {
	if o.HelloEvery == 0 {
		o.HelloEvery = 5 * time.Second
	}
	if o.Host == "" {
		o.Host, _ = os.Hostname() // only people read it
	}
	w := &worker{o: o, counters: o.Counters}
	if w.counters == nil {
		w.counters = new(selfplay.Counters)
	}
	w.link = cluster.Watch(o.Conn)
	defer w.link.Close()
	var err error
	if w.js, err = jetstream.New(o.Conn, jetstream.WithDefaultTimeout(10*time.Second)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := w.join(ctx)
		switch {
		case ctx.Err() != nil:
		case cluster.Refused(o.Conn) != nil:
			return cluster.Refused(o.Conn)
		case errors.Is(err, errFinished):
			if !w.over {
				w.over = true
				o.Log.Info("the run is finished", "games", w.counters.Games.Load(), "confirmed",
					w.finished.Load(), "evaluations", w.counters.Evaluations.Load())
			}
			if !o.Stay {
				return nil
			}
			pause(ctx, refusedWait)
		case err != nil:
			return err
		}
	}
	return nil
}

// errFinished says that the trainer's run is finished.
var errFinished = errors.New("the run is finished")

// errSession says that the trainer has another session: its configuration may have changed.
var errSession = errors.New("the trainer was started anew")

// greet sends a Hello until there is an answer. The caller fills in what it knows.
func (w *worker) greet(ctx context.Context, h *cluster.Hello) (*cluster.Welcome, error) {
	for told := false; ; {
		answer, err := w.hello(ctx, h)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := cluster.Refused(w.o.Conn); err != nil {
			return nil, err
		}
		if !told {
			told = true
			w.o.Log.Info("waiting for the trainer", "at",
				strings.Join(w.o.Conn.Servers(), ", "), "reason", err)
		}
		pause(ctx, time.Second)
	}
}

// hello sends a Hello and returns the answer.
func (w *worker) hello(ctx context.Context, h *cluster.Hello) (*cluster.Welcome, error) {
	h.Worker, h.Host = w.o.ID, w.o.Host
	h.Finished, h.Evaluations, h.Rate = w.finished.Load(), w.counters.Evaluations.Load(),
		float64(w.rate.Load())
	data, err := cluster.Encode(h)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	limited, release := w.link.During(limited)
	defer release()
	m, err := w.o.Conn.RequestWithContext(limited, w.o.Names.HelloSubject(w.o.ID), data)
	if err != nil {
		return nil, err
	}
	answer := new(cluster.Welcome)
	return answer, cluster.Decode(m.Data, answer)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// planOf returns the plan of a run's configuration.
func planOf(text string, set []string) (*trainer.Plan, error) {
	c, err := configOf(text, set)
	if err != nil {
		return nil, fmt.Errorf("the trainer's configuration: %w", err)
	}
	return trainer.NewPlan(c)
}

// configOf reads the configuration of a run.
func configOf(text string, set []string) (*configs.Config, error) {
	r, err := configs.Resolve(configs.Options{
		Name: "the run's configuration", Text: []byte(text), Set: set,
	})
	if err != nil {
		return nil, err
	}
	return &r.Config, nil
}
