package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tengen/arena"
	"tengen/cluster"
	"tengen/game"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/search"
	"tengen/trainer"
	"tengen/vfs"
)

// alone trains the run in one process.
func alone(t *testing.T, set ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "alone")
	o := trainer.Options{
		Plan: tiny(t, set...), Folder: run.Folder(dir), Monitor: new(trainer.Monitor),
		Metrics: metrics.New(nil), Log: logger("alone"), Now: time.Now,
	}
	if err := trainer.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// joined waits until two workers have joined.
func (b *box) joined() {
	for b.hub.Games() < 16 {
		time.Sleep(10 * time.Millisecond)
	}
}

// counted returns how many games of workers have counted, those of workers that have left among
// them.
func counted(b *box) uint64 { return b.hub.Status().Counted }

// awaits has the trainer's own worker begin no game of a network before one of a worker has
// counted: in a short run it could play all.
func (b *box) awaits() {
	opened, over := make(chan struct{}), b.t.Context()
	b.plan.Backend = reluctant{backend.NewCPU(), opened}
	go func() {
		defer close(opened)
		for end := time.Now().Add(2 * time.Minute); over.Err() == nil && time.Now().Before(end) &&
			counted(b) == 0; {
			time.Sleep(time.Millisecond)
		}
	}()
}

// interrupted trains until workers have finished some games, and reports whether the run is over.
func interrupted(t *testing.T, b *box) (over bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() {
		for end := time.Now().Add(2 * time.Minute); ctx.Err() == nil &&
			time.Now().Before(end); time.Sleep(time.Millisecond) {
			if counted(b) >= 6 {
				break
			}
		}
		cancel()
	})
	err := b.train(ctx)
	cancel()
	watch.Wait()
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return err == nil
}

// TestTrainerIsStartedAnew: a trainer that is stopped again and again, and whose broker loses
// everything in between, ends with the same weights; workers find it again.
func TestTrainerIsStartedAnew(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"synchronous": nil, "pipelined": {"training.cycle=pipelined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := alone(t, set...)
			dir := filepath.Join(t.TempDir(), "shared")
			b := open(t, dir, "127.0.0.1:0", tiny(t, set...))
			u, err := url.Parse(b.url)
			if err != nil {
				t.Fatal(err)
			}
			one, two := start(t, "one", b.url, b.names), start(t, "two", b.url, b.names)
			defer one.end()
			defer two.end()
			b.joined()
			b.awaits()
			total := uint64(0)
			for parts := 0; ; parts++ {
				over := parts < 5 && interrupted(t, b)
				if parts == 5 {
					if err := b.train(context.Background()); err != nil {
						t.Fatal(err)
					}
					over = true
				}
				total += counted(b)
				b.close()
				if over {
					break
				}
				if err := os.RemoveAll(b.store); err != nil {
					t.Fatal(err)
				}
				b = open(t, dir, u.Host, tiny(t, set...))
			}
			same(t, want, dir)
			if total == 0 {
				t.Error("no game of a worker counted")
			}
		})
	}
}

// TestAsynchronous: in an asynchronous cycle, which is stopped again and again, no game is lost
// once it is acknowledged, and none is there twice.
func TestAsynchronous(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shared")
	set := []string{"training.cycle=asynchronous"}
	b := open(t, dir, "127.0.0.1:0", tiny(t, set...))
	u, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	one, two := start(t, "one", b.url, b.names), start(t, "two", b.url, b.names)
	defer two.end()
	b.joined()
	b.awaits()
	total, refused := uint64(0), map[string]uint64{}
	for parts := 0; parts < 4; parts++ {
		if over := interrupted(t, b); over {
			break
		}
		if parts == 0 {
			one.kill()
		}
		total += counted(b)
		maps.Copy(refused, b.hub.Status().Refused)
		b.close()
		b = open(t, dir, u.Host, tiny(t, set...))
	}
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	total += counted(b)
	maps.Copy(refused, b.hub.Status().Refused)
	b.close()
	games, damages, err := replay.Load(vfs.OS{}, run.Folder(dir).Replay())
	if err != nil || len(damages) > 0 {
		t.Fatal(err, damages)
	}
	seen := map[uint64]bool{}
	for i, g := range games {
		if g.Number != uint64(i) || !g.EndOrder || seen[g.Stream] {
			t.Fatalf("game %d has the number %d and the stream %d", i, g.Number, g.Stream)
		}
		seen[g.Stream] = true
	}
	if len(refused) > 0 {
		t.Errorf("batches are refused: %v", refused)
	}
	if total == 0 || len(games) < 10+3*16 {
		t.Errorf("%d games, %d of workers", len(games), total)
	}
}

// liar is somebody who says that it is a worker.
type liar struct {
	t    *testing.T
	id   string
	conn *nats.Conn
	js   jetstream.JetStream
	b    *box
}

func (l *liar) hello(h cluster.Hello) *cluster.Welcome {
	l.t.Helper()
	h.Worker, h.Games = l.id, 8
	data, err := cluster.Encode(&h)
	if err != nil {
		l.t.Fatal(err)
	}
	m, err := l.conn.Request(l.b.names.HelloSubject(l.id), data, 5*time.Second)
	if err != nil {
		l.t.Fatal(err)
	}
	w := new(cluster.Welcome)
	if err := cluster.Decode(m.Data, w); err != nil {
		l.t.Fatal(err)
	}
	return w
}

func newLiar(t *testing.T, b *box, id string) *liar {
	t.Helper()
	conn, err := nats.Connect(b.url, nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return &liar{t, id, conn, js, b}
}

// TestRefusesLies: games that were not given out, that break the rules or the protocol, or are of
// others, are refused and counted, and the run is what it would be without them.
func TestRefusesLies(t *testing.T) {
	want := alone(t)
	dir := filepath.Join(t.TempDir(), "shared")
	b := open(t, dir, "127.0.0.1:0", tiny(t))
	defer b.close()
	l := newLiar(t, b, "liar")
	defer l.conn.Close()
	right := cluster.Hello{
		Build: cluster.Build{
			Build: build, Records: record.Version, Kernels: backend.NewCPU().Kernels(),
		}, Rules: cluster.RulesDigest(b.plan.Game),
	}
	for reason, change := range map[string]func(*cluster.Hello){
		"its build is other":       func(h *cluster.Hello) { h.Build.Build = "other" },
		"its record format is 99":  func(h *cluster.Hello) { h.Records = 99 },
		"its kernel path is magic": func(h *cluster.Hello) { h.Kernels, h.Session = "magic", "s" },
		"its rules of go":          func(h *cluster.Hello) { h.Rules = "others" },
	} {
		h := right
		change(&h)
		if w := l.hello(h); !strings.Contains(w.Refused, reason) || w.Config != "" {
			t.Errorf("%s: %q", reason, w.Refused)
		}
	}
	right.Session = l.hello(right).Session
	if w := l.hello(right); w.Refused != "" {
		t.Fatal(w.Refused)
	}
	var lies sync.WaitGroup
	lies.Go(func() {
		consumer, err := l.js.Consumer(context.Background(), b.names.Work(), cluster.WorkConsumer)
		if err != nil {
			t.Error(err)
			return
		}
		m, err := consumer.Next(jetstream.FetchMaxWait(2 * time.Minute))
		if err != nil {
			t.Error(err)
			return
		}
		block := new(cluster.Block)
		if err := cluster.Decode(m.Data(), block); err != nil {
			t.Error(err)
			return
		}
		good, _, err := replay.Load(vfs.OS{}, run.Folder(want).Replay())
		if err != nil {
			t.Error(err)
			return
		}
		game := func() *record.Game {
			g := *good[block.Numbers[0]]
			g.Moves = append([]record.Move(nil), g.Moves...)
			return &g
		}
		illegal, short, other, visits, seats, resign := game(), game(), game(), game(),
			game(), game()
		illegal.Moves[0].Action = illegal.Moves[1].Action + 90
		short.Moves = short.Moves[:len(short.Moves)-1]
		other.Number = 1 << 40
		resign.Resign = 1e-20 // nobody was to resign
		for i := range visits.Moves {
			if len(visits.Moves[i].Value) > 0 {
				m := &visits.Moves[i]
				m.Visits, m.Policy = []record.Visit{{Action: 1 << 20, N: 1}},
					m.Policy[:min(1, len(m.Policy))]
			}
		}
		// the block may have all of them as UCT's or the network's
		seats.Seats = append([]record.SeatRecord(nil), seats.Seats...)
		for i := range seats.Seats {
			if seats.Seats[i].Kind == record.UCT {
				seats.Seats[i] = record.SeatRecord{Kind: record.Network, Step: block.Step}
			} else {
				seats.Seats[i] = record.SeatRecord{Kind: record.UCT}
			}
		}
		forged := *block
		forged.Step++
		for _, c := range []struct {
			block *cluster.Block
			game  *record.Game
		}{
			{block, illegal}, {block, short}, {block, other}, {block, visits}, {block, resign},
			{&forged, game()},
		} {
			list, err := cluster.EncodeBatches(l.id, c.block, []*record.Game{c.game})
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := l.js.Publish(context.Background(), b.names.GamesSubject(l.id),
				list[0]); err != nil {
				t.Error(err)
			}
		}
		if _, err := l.js.Publish(context.Background(), b.names.GamesSubject(l.id),
			[]byte("nonsense")); err != nil {
			t.Error(err)
		}
		// Nothing of it counts any more, not even what is right.
		list, _ := cluster.EncodeBatches(l.id, block, []*record.Game{game()})
		if _, err := l.js.Publish(context.Background(), b.names.GamesSubject(l.id),
			list[0]); err != nil {
			t.Error(err)
		}
	})
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	lies.Wait()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(
		10 * time.Millisecond) {
		if w := b.hub.Workers(); len(w) == 1 && w[0].Refused >= 5 {
			break
		}
	}
	w := b.hub.Workers()
	if len(w) != 1 || w[0].Refused < 5 || w[0].Reason == "" || w[0].Counted != 0 {
		t.Errorf("%+v", w)
	}
	same(t, want, dir)
}

// gated is a player whose games wait for an event.
type gated struct {
	player.Player
	open <-chan struct{}
}

func (g gated) NewEvaluator(of game.Game, capacity int) search.Evaluator {
	<-g.open
	return g.Player.NewEvaluator(of, capacity)
}

// TestFalseMatches: a worker that sends games of a match which its players would not have played is
// told by name and counts no more, and so do its games where the trainer plays them again. Games
// with another opening are refused in any case.
func TestFalseMatches(t *testing.T) {
	for _, c := range []struct {
		audits        float64
		reason, label string
	}{{1, "was not played by its players", "play"}, {1e-9, "", "record"}} {
		b := openAuditing(t, c.audits, filepath.Join(t.TempDir(), "shared"), "127.0.0.1:0", tiny(t))
		defer b.close()
		l := newLiar(t, b, "liar")
		defer l.conn.Close()
		h := cluster.Hello{
			Build: cluster.Build{
				Build: build, Records: record.Version, Kernels: backend.NewCPU().Kernels(),
			}, Rules: cluster.RulesDigest(b.plan.Game),
		}
		h.Session = l.hello(h).Session
		if w := l.hello(h); w.Refused != "" {
			t.Fatal(w.Refused)
		}
		const uct = "uct:simulations=4"
		p, err := player.Parse(b.plan.Game, uct)
		if err != nil {
			t.Fatal(err)
		}
		m := arena.Match{
			Game: b.plan.Game, Players: []player.Player{p}, Seatings: [][]int{{0, 0, 0}}, Games: 30,
			Seed: 7, Opening: 3,
		}
		want, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		lied := make(chan struct{})
		m.Players, m.Remote = []player.Player{gated{p, lied}},
			b.hub.Match([]arena.Contestant{{Player: uct}})
		var group sync.WaitGroup
		group.Go(func() {
			defer close(lied)
			consumer, err := l.js.Consumer(context.Background(), b.names.Matches(),
				cluster.MatchConsumer)
			if err != nil {
				t.Error(err)
				return
			}
			message, err := consumer.Next(jetstream.FetchMaxWait(60 * time.Second))
			if err != nil {
				t.Error(err)
				return
			}
			block := new(cluster.MatchBlock)
			if err := cluster.Decode(message.Data(), block); err != nil {
				t.Error(err)
				return
			}
			a := arena.Match{
				Game: b.plan.Game, Players: []player.Player{player.Random{}},
				Seatings: block.Seatings, Games: block.Games, Seed: block.Seed,
				Opening: block.Opening,
			}
			if c.label == "record" {
				a.Seed++
			}
			games, err := a.Some(context.Background(), block.Numbers)
			if err != nil {
				t.Error(err)
				return
			}
			data, err := cluster.EncodeResults(l.id, block, games)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := l.js.Publish(context.Background(), b.names.GamesSubject(l.id),
				data); err != nil {
				t.Error(err)
			}
			for end := time.Now().Add(60 * time.Second); time.Now().Before(end) &&
				b.hub.Status().Refused[c.label] == 0 && c.label == "record"; {
				time.Sleep(time.Millisecond)
			}
			// the trainer waits for no other block of it
			h.Worker, h.Games, h.Leaving = l.id, 1, true
			if data, err = cluster.Encode(&h); err != nil {
				t.Error(err)
			}
			if _, err := l.conn.Request(b.names.HelloSubject(l.id), data,
				60*time.Second); err != nil {
				t.Error(err)
			}
		})
		got, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		group.Wait()
		if !reflect.DeepEqual(got, want) {
			t.Error("the results of the match are others")
		}
		s := b.hub.Status()
		if s.Refused[c.label] == 0 {
			t.Errorf("refused %v, want %s", s.Refused, c.label)
		}
		// Who was caught with one game is not welcome any more.
		if w := l.hello(cluster.Hello{Build: h.Build}); c.label == "play" &&
			!strings.Contains(w.Refused, c.reason) || c.label == "record" && w.Refused != "" {
			t.Errorf("%s: %q", c.label, w.Refused)
		}
	}
}

// TestKeys: beyond this machine a worker needs a key that the trainer knows, and may do nothing but
// work.
func TestKeys(t *testing.T) {
	root := t.TempDir()
	names, err := cluster.NewNames("keys")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: "0.0.0.0:0", Folder: root, Names: names, Log: logger("broker"),
	}); err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("a broker for all machines without TLS: %v", err)
	}
	file := filepath.Join(root, "worker.key")
	public, err := cluster.NewKey(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.NewKey(file); err == nil {
		t.Error("a key is replaced")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", err, info.Mode())
	}
	config, pin, err := cluster.SelfSigned(root, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: "127.0.0.1:0", Folder: root, Names: names, Workers: []string{public}, TLS: config,
		Log: logger("broker"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := nats.Connect(s.URL(), nats.Secure(&tls.Config{
		InsecureSkipVerify: true,
	})); err == nil {
		t.Error("a worker without a key is connected")
	}
	wrong := &cluster.Credentials{KeyFile: file, Pin: strings.Repeat("0", 64)}
	options, _, err := wrong.Options()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nats.Connect(s.URL(),
		append(options, nats.RetryOnFailedConnect(false), nats.MaxReconnects(0))...); err == nil {
		t.Error("another certificate than that of the pin is taken")
	}
	options, id, err := (&cluster.Credentials{KeyFile: file, Pin: pin}).Options()
	if err != nil || id != public {
		t.Fatal(id, err)
	}
	denied := make(chan error, 16)
	conn, err := nats.Connect(s.URL(),
		append(options, nats.Timeout(time.Minute),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
				denied <- err
			}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, subject := range []string{
		names.GamesSubject("another"), names.WorkSubject(), names.OverSubject(),
		"$JS.API.STREAM.DELETE." + names.Work(),
		"$JS.API.STREAM.PURGE." + names.Games(),
		"$JS.API.CONSUMER.CREATE." + names.Games(), "anything",
	} {
		if err := conn.Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-denied:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", subject, err)
			}
		case <-time.After(2 * time.Minute):
			t.Errorf("a worker may publish to %s", subject)
		}
	}
	for _, subject := range []string{
		names.GamesSubject("*"), names.WorkSubject(), names.DoneSubject("another"), ">",
	} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		select {
		case <-denied:
		case <-time.After(2 * time.Minute):
			t.Errorf("a worker may subscribe to %s", subject)
		}
	}
}

// connect connects with a key.
func connect(t *testing.T, b *box, file string) *nats.Conn {
	t.Helper()
	options, _, err := (&cluster.Credentials{KeyFile: file}).Options()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(b.url,
		append(options, nats.Timeout(time.Minute), nats.ReconnectWait(10*time.Millisecond),
			nats.ReconnectJitter(0, 0))...)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestFloods: a worker that says hello without end is not answered any more, counted, told of and
// banned with its key: the broker does not let it in again. Another worker plays on, and the run is
// what it would be.
func TestFloods(t *testing.T) {
	want := alone(t)
	root := t.TempDir()
	var public, files []string
	for _, name := range []string{"good", "bad"} {
		files = append(files, filepath.Join(root, name+".key"))
		p, err := cluster.NewKey(files[len(files)-1])
		if err != nil {
			t.Fatal(err)
		}
		public = append(public, p)
	}
	dir := filepath.Join(root, "shared")
	b := open(t, dir, "127.0.0.1:0", tiny(t), public...)
	defer b.close()
	bad := &liar{t: t, id: public[1] + ".1", conn: connect(t, b, files[1]), b: b}
	defer bad.conn.Close()
	if w := bad.hello(cluster.Hello{
		Build: cluster.Build{Build: build, Records: record.Version},
	}); w.Refused != "" {
		t.Fatal(w.Refused)
	}
	good := startWith(t, "good", connect(t, b, files[0]), public[0]+".1", b.names)
	var flood sync.WaitGroup
	flood.Go(func() {
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) &&
			cluster.Refused(bad.conn) == nil; {
			_ = bad.conn.Publish(b.names.HelloSubject(bad.id), []byte("hello")) // refused at last
			if n, _ := bad.conn.Buffered(); n > 1<<14 {
				_ = bad.conn.FlushTimeout(time.Second)
			}
		}
	})
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	flood.Wait()
	if err := cluster.Refused(bad.conn); !errors.Is(err, cluster.ErrRefused) {
		t.Errorf("a worker that floods: %v", err)
	}
	s := b.hub.Status()
	if s.Refused["flood"] < 1000 {
		t.Errorf("%+v", s.Refused)
	}
	for _, w := range s.Workers {
		if (w.Reason != "") != (w.ID == bad.id) {
			t.Errorf("%+v", w)
		}
	}
	good.end()
	same(t, want, dir)
}
