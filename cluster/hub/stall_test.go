package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	dto "github.com/prometheus/client_model/go"

	"tengen/cluster"
	"tengen/configs"
	"tengen/game"
	"tengen/metrics"
	"tengen/nn"
	"tengen/player"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// faulty is JetStream that may take nothing.
type faulty struct {
	jetstream.JetStream
	mu   sync.Mutex
	fail func(what string) error // nil: it works
	did  map[string]int          // what was asked while it fails
}

func (f *faulty) ask(what string) error {
	f.mu.Lock()
	fail := f.fail
	if fail != nil {
		f.did[what]++
	}
	f.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(what)
}

func (f *faulty) set(fail func(what string) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail, f.did = fail, map[string]int{}
}

func (f *faulty) asked(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.did[what]
}

func (f *faulty) Publish(
	ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	if err := f.ask(subject); err != nil {
		return nil, err
	}
	return f.JetStream.Publish(ctx, subject, data, o...)
}

func (f *faulty) CreateOrUpdateObjectStore(
	ctx context.Context, c jetstream.ObjectStoreConfig,
) (jetstream.ObjectStore, error) {
	s, err := f.JetStream.CreateOrUpdateObjectStore(ctx, c)
	return &faultyStore{s, f}, err
}

func (f *faulty) DeleteStream(ctx context.Context, name string) error {
	_ = f.ask("delete") // it is counted, and works
	return f.JetStream.DeleteStream(ctx, name)
}

type faultyStore struct {
	jetstream.ObjectStore
	f *faulty
}

func (s *faultyStore) GetInfo(
	ctx context.Context, name string, o ...jetstream.GetObjectInfoOpt,
) (*jetstream.ObjectInfo, error) {
	if err := s.f.ask("weights"); err != nil {
		return nil, err
	}
	return s.ObjectStore.GetInfo(ctx, name, o...)
}

func (s *faultyStore) PutBytes(
	ctx context.Context, name string, data []byte,
) (*jetstream.ObjectInfo, error) {
	if err := s.f.ask("weights"); err != nil {
		return nil, err
	}
	return s.ObjectStore.PutBytes(ctx, name, data)
}

// stalling is a hub with a broker that may stall, a worker that has said hello and plays nothing,
// and a clock that a test moves.
type stalling struct {
	t        *testing.T
	hub      *Hub
	js       *faulty
	settings *selfplay.Settings
	params   *nn.Params
	metrics  *metrics.Metrics
	fs       *vfstest.Faulty
	later    atomic.Int64 // of the clock
	played   uint64       // games
}

func newStalling(t *testing.T) *stalling {
	t.Helper()
	g := game.Must(game.New("tictactoe"))
	config := configs.Default()
	config.Game, config.Seed, config.Network.Blocks, config.Network.Filters, config.Network.Hidden =
		"tictactoe", 7, 0, 4, 4
	spec, err := run.NetworkSpec(&config, g)
	if err != nil {
		t.Fatal(err)
	}
	x := &stalling{
		t: t, metrics: metrics.New(nil), settings: &selfplay.Settings{
			Game: g, Seed: 7, UCT: player.UCT{Simulations: 4, C: 0.8, Utility: player.Points},
		},
	}
	if x.params, err = nn.NewParams(spec); err != nil {
		t.Fatal(err)
	}
	names, err := cluster.NewNames("test")
	if err != nil {
		t.Fatal(err)
	}
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	b, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: "127.0.0.1:0", Folder: filepath.Join(dir, "nats"), Names: names, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	conn, err := b.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	began := time.Now()
	x.fs = vfstest.NewFaulty(vfs.OS{}, nil)
	x.hub, err = Open(t.Context(), Options{
		Conn: conn, Names: names, Folder: dir, Config: &config, Play: x.settings,
		Build: cluster.Build{Build: "test", Records: record.Version},
		FS:    x.fs, Log: log, Metrics: x.metrics, Now: func() time.Time {
			return began.Add(time.Duration(x.later.Load()))
		},
		through: func(js jetstream.JetStream) jetstream.JetStream {
			x.js = &faulty{JetStream: js}
			return x.js
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.hub.Close(); err != nil {
			t.Error(err)
		}
	})
	x.settings.Remote = x.hub
	x.greet()
	return x
}

// greet has the worker say hello.
func (x *stalling) greet() {
	x.hub.mu.Lock()
	defer x.hub.mu.Unlock()
	x.hub.workers["w"] = &worker{
		Hello: cluster.Hello{Worker: "w", Games: 8, Session: x.hub.session}, seen: x.hub.o.Now(),
	}
}

// wait moves the clock.
func (x *stalling) wait(d time.Duration) {
	x.later.Add(int64(d))
	x.greet()
}

// iteration plays some games, the first of which the trainer's own worker begins, and holds until
// first returns. The worker on another machine plays none, so that the trainer's own plays all in
// the end.
func (x *stalling) iteration(first func()) {
	x.t.Helper()
	// more than are given to a worker with 8 at a time, so that some are left for the trainer's own
	const games = 16
	job := &selfplay.Job{Epsilon: 1, Params: x.params}
	for range games {
		job.Games = append(job.Games, x.played)
		x.played++
	}
	ctx, cancel := context.WithTimeout(x.t.Context(), time.Minute) // an iteration that hangs fails
	defer cancel()
	var once sync.Once
	got, counters := 0, new(selfplay.Counters)
	counters.OnBegin = func() { once.Do(first) }
	emit := func(*record.Game) error { got++; return nil }
	if err := selfplay.Play(ctx, x.settings, *job, 1, 1, counters, emit); err != nil ||
		got != games {
		x.t.Fatalf("%d of %d games, %v", got, games, err)
	}
	x.hub.mu.Lock()
	defer x.hub.mu.Unlock()
	if n := len(x.hub.blocks); n > 0 {
		x.t.Errorf("%d blocks are given out after the iteration", n)
	}
}

// healthy is an iteration of which games are given out. They take so long that the trainer's own
// worker may play them too.
func (x *stalling) healthy() {
	x.t.Helper()
	over := make(chan struct{})
	var clock sync.WaitGroup
	x.iteration(func() {
		x.until("games that are given out", func() bool {
			if x.tried() {
				x.wait(retryAfter)
			}
			return x.hub.Status().Given > 0
		})
		clock.Go(func() {
			for {
				x.wait(11 * time.Second)
				select {
				case <-over:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		})
	})
	close(over)
	clock.Wait()
}

// tried reports whether the broker has failed, and is not tried again before the clock moves. A try
// that is under way counts that time from its own end: a test that moves the clock beside it waits
// for ever.
func (x *stalling) tried() bool {
	x.hub.mu.Lock()
	defer x.hub.mu.Unlock()
	s := x.hub.stalled
	return !s.since.IsZero() && x.hub.o.Now().Before(s.next)
}

// until waits for a condition that comes about by itself.
func (x *stalling) until(what string, holds func() bool) {
	x.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatalf("waited for %s", what)
		}
	}
}

func (x *stalling) stalled() bool {
	x.hub.mu.Lock()
	defer x.hub.mu.Unlock()
	return !x.hub.stalled.since.IsZero()
}

// gauge returns whether the metric says that the broker is stalled.
func (x *stalling) gauge() bool {
	x.t.Helper()
	var m dto.Metric
	if err := x.metrics.ClusterStalled.Write(&m); err != nil {
		x.t.Fatal(err)
	}
	return m.GetGauge().GetValue() == 1
}

// TestBrokerHangs: a request that the broker does not answer holds up no iteration, be it a network
// or a block of games, which the trainer's own worker plays then; and no other request is made
// meanwhile. Afterwards games are given out again.
func TestBrokerHangs(t *testing.T) {
	for _, what := range []string{"weights", "test.work"} {
		t.Run(what, func(t *testing.T) {
			x := newStalling(t)
			answers := make(chan struct{})
			x.js.set(func(asked string) error {
				if asked == what {
					<-answers
				}
				return nil
			})
			x.iteration(func() {
				x.until("a request", func() bool { return x.js.asked(what) == 1 })
				x.wait(patience + 1)
			})
			for range 3 {
				x.iteration(func() {})
			}
			if n := x.js.asked(what); n != 1 {
				t.Errorf("%d requests while one is not answered", n)
			}
			x.js.set(nil)
			close(answers)
			x.healthy()
		})
	}
}

// TestBrokerStalls: a broker that takes nothing is asked once, and then now and then, whatever is
// played meanwhile; the metric says so. When it takes something again games are given out.
func TestBrokerStalls(t *testing.T) {
	for _, what := range []string{"weights", "test.work", "all"} {
		t.Run(what, func(t *testing.T) {
			x := newStalling(t)
			x.healthy()
			x.js.set(func(asked string) error {
				if what == "all" || asked == what {
					return fmt.Errorf("no answer: %w", context.DeadlineExceeded)
				}
				return nil
			})
			x.params.Tensors[0].Data[0]++ // another network
			x.iteration(func() { x.until("a stall", x.stalled) })
			asked := func() int {
				x.js.mu.Lock()
				defer x.js.mu.Unlock()
				n := 0
				for _, k := range x.js.did {
					n += k
				}
				return n
			}
			before := asked()
			for range 5 {
				x.iteration(func() {})
			}
			if n := asked(); n != before {
				t.Errorf("%d requests in five iterations of a broker that takes nothing", n-before)
			}
			if !x.gauge() {
				t.Error("the metric says nothing")
			}
			x.wait(retryAfter)
			x.until("another try", func() bool { return asked() > before })
			x.js.set(nil)
			x.healthy()
			if x.until("the end of the stall", func() bool { return !x.stalled() }); x.gauge() {
				t.Error("the metric says that the broker is stalled")
			}
		})
	}
}

// TestStreamsAreMadeAgain: a stream whose disk was full is silent for ever, though the broker
// answers questions: the streams are made again.
func TestStreamsAreMadeAgain(t *testing.T) {
	x := newStalling(t)
	x.healthy()
	silent := func(string) error { return context.DeadlineExceeded }
	x.js.set(silent)
	x.iteration(func() { x.until("a stall", x.stalled) })
	x.wait(remakeAfter - 1)
	x.until("another try", func() bool { return x.js.asked("test.games.$probe") > 0 })
	if n := x.js.asked("delete"); n > 0 {
		t.Errorf("%d streams are removed of a broker that has stalled for less than %v",
			n, remakeAfter)
	}
	x.wait(retryAfter)
	x.until("streams to be removed", func() bool { return x.js.asked("delete") == 4 })
	x.js.set(nil)
	x.until("streams", func() bool {
		_, err := x.hub.js.Stream(t.Context(), "test_GAMES")
		return err == nil && x.hub.lost.Load()
	})
	x.healthy()
	// a block that the broker takes after its game ends it too
	x.until("the end of the stall", func() bool { return !x.stalled() })
}

// finished is a game that a worker has finished.
func (x *stalling) finished(number uint64) *record.Game {
	g := &record.Game{
		Number: number, Name: x.settings.Game.Name(), Seed: 7, Seats: make([]record.SeatRecord, 2),
		Scores: []float32{0, 0}, Returns: []float32{0, 0},
	}
	for i := range g.Seats {
		g.Seats[i].Kind = record.UCT
	}
	return g
}

// TestJournalIsOfTheRun: a run that has no identity when its hub is opened has one when games are
// written.
func TestJournalIsOfTheRun(t *testing.T) {
	x := newStalling(t)
	id, err := run.NewIdentity(x.hub.o.Config, "", x.hub.o.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Folder(x.hub.o.Folder).On(vfs.OS{}).Adopt(id); err != nil {
		t.Fatal(err)
	}
	if x.hub.journal.Run != 0 {
		t.Fatalf("the journal is of run %v before there is one", x.hub.journal.Run)
	}
	if err := x.hub.record(t.Context(), []*record.Game{x.finished(1)}); err != nil ||
		x.hub.journal.Run != id.ID {
		t.Errorf("%v: the journal is of run %v, want %v", err, x.hub.journal.Run, id.ID)
	}
}

// TestJournalIsFull: games that workers have, and that can't be written to disk, are played by the
// trainer's own worker, and no others are given out, until there is room.
func TestJournalIsFull(t *testing.T) {
	x := newStalling(t)
	x.fs.Inject(func(op vfstest.Op) error {
		if op.Kind == vfstest.Write {
			return syscall.ENOSPC
		}
		return nil
	})
	full := func() bool {
		x.hub.mu.Lock()
		defer x.hub.mu.Unlock()
		return x.hub.full
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	x.iteration(func() {
		x.until("games that are given out", func() bool { return x.hub.Status().Given > 0 })
		group.Go(func() {
			if err := x.hub.record(ctx, []*record.Game{x.finished(1)}); !errors.Is(err,
				context.Canceled) {
				t.Error(err)
			}
		})
		x.until("a full disk", full)
	})
	if !x.gauge() {
		t.Error("the metric says nothing")
	}
	x.iteration(func() {})
	if n := x.hub.Status().Given; n > 0 {
		t.Errorf("%d games are given out", n)
	}
	cancel()
	group.Wait()
	x.fs.Inject(nil)
	if err := x.hub.record(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
