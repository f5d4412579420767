package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/cluster"
	"tengen/cluster/hub"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/trainer"
	"tengen/vfs"
)

// tiny is a run of seconds.
func tiny(t *testing.T, set ...string) *trainer.Plan {
	t.Helper()
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: append([]string{
		"game=go:size=3,players=3", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=12", "warm_start.simulations=12", "warm_start.initial_games=10",
		"training.iterations=3", "training.games=16", "training.batch=32", "training.max_steps=6",
		"training.warmup_steps=2",
		"training.ema_decay=0.9", "replay.games=30", "replay.held_out=0.2",
		"evaluation.every=0", "selfplay.workers=1", "selfplay.games_per_worker=2",
		"selfplay.cache_mib=1",
		"checkpoints.keep_last=9", "metrics.address=",
	}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := trainer.NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	p.Beside = false // evaluations beside the run are passed over while one is under way
	p.MostResign, p.EvaluationFloor = 0.5, time.Hour
	return p
}

func logger(name string) *slog.Logger {
	if os.Getenv("TENGEN_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug})).
		With("who", name)
}

// box is a trainer with an embedded broker.
type box struct {
	t      *testing.T
	plan   *trainer.Plan
	dir    string
	store  string // of the broker
	broker *cluster.Broker
	hub    *hub.Hub
	conn   *nats.Conn
	names  cluster.Names
	url    string
}

const build = "test"

// open opens a trainer, whose broker wants a key of the public ones if there are any.
func open(t *testing.T, dir, address string, plan *trainer.Plan, public ...string) *box {
	t.Helper()
	return openAuditing(t, 0, dir, address, plan, public...)
}

// openPast is open with the runs of earlier hubs.
func openPast(t *testing.T, past map[string]bool) *box {
	return openWith(t, hub.Options{Past: past}, filepath.Join(t.TempDir(), "shared"),
		"127.0.0.1:0", tiny(t))
}

// openAuditing is open with a share of the games of matches that the trainer plays again.
func openAuditing(
	t *testing.T, audits float64, dir, address string, plan *trainer.Plan, public ...string,
) *box {
	return openWith(t, hub.Options{Audits: audits}, dir, address, plan, public...)
}

func openWith(
	t *testing.T, o hub.Options, dir, address string, plan *trainer.Plan, public ...string,
) *box {
	t.Helper()
	names, err := cluster.NewNames("test")
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, plan: plan, dir: dir, store: dir + ".nats", names: names}
	if b.broker, err = cluster.OpenBroker(cluster.BrokerOptions{
		Address: address, Folder: b.store, Names: names, Workers: public, Log: logger("broker"),
	}); err != nil {
		t.Fatal(err)
	}
	b.url = b.broker.URL()
	if b.conn, err = b.broker.Connect(); err != nil {
		t.Fatal(err)
	}
	kernels := backend.NewCPU().Kernels()
	if plan.Backend != nil {
		kernels = plan.Backend.Kernels()
	}
	if b.hub, err = hub.Open(context.Background(), hub.Options{
		Conn: b.conn, Names: names, Folder: dir, Resume: run.Folder(dir).Exists(),
		Config: plan.Config, Play: &plan.Play,
		Build: cluster.Build{Build: build, Records: record.Version, Kernels: kernels},
		Log:   logger("hub"), Metrics: metrics.New(nil), Now: time.Now,
		Audits: o.Audits, Past: o.Past,
		Ban: func(account string) {
			if err := b.broker.Ban(account); err != nil {
				t.Error(err)
			}
		},
	}); err != nil {
		t.Fatal(err)
	}
	plan.Play.Remote, plan.Matches = b.hub, b.hub
	return b
}

func (b *box) close() {
	if err := b.hub.Close(); err != nil {
		b.t.Error(err)
	}
	b.conn.Close()
	b.broker.Close()
}

func (b *box) train(ctx context.Context) error {
	f := run.Folder(b.dir)
	return trainer.Run(ctx, trainer.Options{
		Plan: b.plan, Folder: f, Resume: f.Exists(), Monitor: new(trainer.Monitor),
		Metrics: metrics.New(nil),
		Log:     logger("trainer"), Now: time.Now,
	})
}

// playing is a worker.
type playing struct {
	conn  *nats.Conn
	stop  context.CancelFunc
	ended sync.WaitGroup
	over  chan struct{} // closed when it has ended
}

func start(t *testing.T, name, url string, names cluster.Names, set ...string) *playing {
	t.Helper()
	return startWith(t, name, dial(t, name, url), name, names, set...)
}

// dial connects a worker.
func dial(t *testing.T, name, url string) *nats.Conn {
	t.Helper()
	options, _, err := new(cluster.Credentials).Options()
	if err != nil {
		t.Fatal(err)
	}
	conn,
		err := nats.Connect(url,
		append(options, nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0),
			nats.RetryOnFailedConnect(true),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
				logger(name).Warn("connection", "reason", err)
			}))...)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// startWith is start with a connection and an id.
func startWith(
	t *testing.T, name string, conn *nats.Conn, id string, names cluster.Names, set ...string,
) *playing {
	return startOn(t, func() backend.Backend {
		return backend.NewCPU()
	}, name, conn, id, names, set...)
}

// startOn is startWith with a device.
func startOn(
	t *testing.T, device func() backend.Backend, name string, conn *nats.Conn, id string,
	names cluster.Names, set ...string,
) *playing {
	ctx, stop := context.WithCancel(context.Background())
	p := &playing{conn: conn, stop: stop, over: make(chan struct{})}
	p.ended.Go(func() {
		defer close(p.over)
		err := Run(ctx, Options{
			Conn: conn, Names: names, ID: id, Build: build,
			Set: append([]string{
				"selfplay.workers=1", "selfplay.games_per_worker=8",
				"selfplay.device_games_per_worker=4",
			}, set...),
			Device: func(*trainer.Plan) (backend.Backend, error) { return device(), nil },
			Log:    logger(name), Now: time.Now, HelloEvery: 100 * time.Millisecond,
			Stay: name == "stays",
		})
		if err != nil {
			t.Errorf("worker %s: %v", name, err)
		}
	})
	return p
}

// end ends a worker as SIGTERM does.
func (p *playing) end() {
	p.stop()
	p.ended.Wait()
	p.conn.Close()
}

// kill ends a worker as kill -9 does: it says nothing.
func (p *playing) kill() {
	p.conn.Close()
	p.stop()
	p.ended.Wait()
}

// gamesOf returns the games of a run.
func gamesOf(t *testing.T, dir string) []*record.Game {
	t.Helper()
	list, damages, err := replay.Load(vfs.OS{}, run.Folder(dir).Replay())
	if err != nil || len(damages) > 0 {
		t.Fatal(err, damages)
	}
	return list
}

// same compares two runs' networks and games to the bit.
func same(t *testing.T, a, b string) {
	t.Helper()
	var c [2]*checkpoints.Checkpoint
	var games [2][]*record.Game
	for i, dir := range []string{a, b} {
		var err error
		if c[i], _, err = checkpoints.Latest(run.Folder(dir).Checkpoints()); err != nil {
			t.Fatal(err)
		}
		games[i] = gamesOf(t, dir)
	}
	if c[0].Iteration != c[1].Iteration ||
		!reflect.DeepEqual(c[0].Params.Tensors, c[1].Params.Tensors) ||
		!reflect.DeepEqual(c[0].Optimizer, c[1].Optimizer) {
		t.Errorf("the networks of %s and %s differ", a, b)
	}
	if n := min(len(games[0]), len(games[1])); !reflect.DeepEqual(games[0][:n], games[1][:n]) {
		t.Errorf("the games of %s and %s differ", a, b)
	}
}

// TestSameWeights: a run whose games are played by two workers, one of which is killed in the
// middle, ends with the same weights as the run in one process, to the bit.
func TestSameWeights(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"synchronous": nil,
		"pipelined":   {"training.cycle=pipelined"},
		"belief":      {"game=kuhn", "training.belief_weight=1", "search.belief=8"},
		"resignation": {"game=tictactoe", "warm_start.schedule=none",
			"resignation.false_positives=0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			alone := filepath.Join(root, "alone")
			o := trainer.Options{
				Plan: tiny(t, set...), Folder: run.Folder(alone), Monitor: new(trainer.Monitor),
				Metrics: metrics.New(nil), Log: logger("alone"), Now: time.Now,
			}
			if err := trainer.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			shared := filepath.Join(root, "shared")
			b := open(t, shared, "127.0.0.1:0", tiny(t, set...))
			defer b.close()
			one, two := start(t, "one", b.url, b.names), start(t, "two", b.url, b.names)
			b.joined()
			b.awaits()
			var group sync.WaitGroup
			group.Go(func() {
				for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) &&
					counted(b) == 0; {
					time.Sleep(time.Millisecond)
				}
				one.kill()
			})
			if err := b.train(context.Background()); err != nil {
				t.Fatal(err)
			}
			group.Wait()
			two.end()
			same(t, alone, shared)
			if c := b.plan.Config.Resignation; c.FalsePositives > 0 &&
				!slices.ContainsFunc(gamesOf(t, shared), func(g *record.Game) bool {
					return g.Resigned
				}) {
				t.Error("no game ended by resignation")
			}
			if counted(b) == 0 {
				t.Error("no game of a worker counted")
			}
		})
	}
}

// TestFinished: workers end when the run is finished, and not when the trainer is only away; one
// that is to stay does, and so does one that comes while the trainer still says so. A trainer that
// has nothing left to do says it too.
func TestFinished(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	b := open(t, dir, "127.0.0.1:0", tiny(t))
	u, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	one, stays := start(t, "one", b.url, b.names), start(t, "stays", b.url, b.names)
	defer stays.end()
	ends := func(p *playing, what string) {
		t.Helper()
		select {
		case <-p.over:
		case <-time.After(2 * time.Minute):
			t.Errorf("%s does not end", what)
		}
		p.end()
	}
	is := func(n int) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); len(b.hub.Workers()) != n; time.Sleep(
			10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d workers, want %d", len(b.hub.Workers()), n)
			}
		}
	}
	is(2)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.train(ctx); err == nil {
		t.Fatal("the run is over before it has begun")
	}
	b.close()
	b = open(t, dir, u.Host, tiny(t))
	is(2)
	select {
	case <-one.over:
		t.Fatal("a worker has ended with the run unfinished")
	default:
	}
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	b.hub.Finish(context.Background())
	ends(one, "a worker whose run is finished")
	ends(start(t, "late", b.url, b.names), "a worker that comes when the run is finished")
	b.close()
	three := start(t, "three", "nats://"+u.Host, b.names) // waits
	b = open(t, dir, u.Host, tiny(t))
	defer b.close()
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	b.hub.Finish(context.Background())
	ends(three, "a worker that waited for a trainer with nothing left to do")
	select {
	case <-stays.over:
		t.Error("a worker that is to stay has ended")
	default:
	}
}

// matchGames are the games of a run's evaluations.
func matchGames(t *testing.T, dir string) (games []run.EvaluationGame) {
	t.Helper()
	f := run.Folder(dir)
	log, err := f.On(vfs.OS{}).OpenGameLog(3, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range log.Games() {
		g.Run = run.EvaluationGame{}.Run // which differs
		games = append(games, g)
	}
	return games
}

// TestMatches: evaluations whose games workers play too give the same as on one machine, with
// workers that come, go and are killed.
func TestMatches(t *testing.T) {
	t.Parallel()
	set := []string{
		"training.iterations=2", "evaluation.every=1", "evaluation.games=12",
		"evaluation.simulations=8",
	}
	want := alone(t, set...)
	dir := filepath.Join(t.TempDir(), "shared")
	b := openAuditing(t, 0.3, dir, "127.0.0.1:0", tiny(t, set...))
	defer b.close()
	one, two := start(t, "one", b.url, b.names), start(t, "two", b.url, b.names)
	var killed sync.WaitGroup
	killed.Go(func() {
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) &&
			b.hub.Status().Matches < 10; time.Sleep(time.Millisecond) {
		}
		one.kill()
	})
	if err := b.train(context.Background()); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	two.end()
	same(t, want, dir)
	a, c := matchGames(t, want), matchGames(t, dir)
	for i := range min(len(a), len(c)) {
		if !reflect.DeepEqual(a[i], c[i]) {
			t.Fatalf("game %d of evaluations is %+v alone, %+v with workers", i, a[i], c[i])
		}
	}
	if len(a) != len(c) || len(a) < 50 {
		t.Errorf("%d games of evaluations alone, %d with workers", len(a), len(c))
	}
	if s := b.hub.Status(); s.Matches < 10 || len(s.Refused) > 0 {
		t.Errorf("%d games of matches are of workers; refused: %v", s.Matches, s.Refused)
	}
}

// TestBaseline: the opponent of evaluations is the same elsewhere, where only its name is known.
func TestBaseline(t *testing.T) {
	p, err := player.NewElsewhere(tiny(t).Game, player.Baseline.Name(), nil, nil)
	if err != nil || !reflect.DeepEqual(p, player.Player(player.Baseline)) {
		t.Errorf("%+v: %v, want %+v", p, err, player.Baseline)
	}
}

// TestTournament: a tournament of players with networks of their own, as those of arena and lab,
// has the same standings if a worker plays games of it.
func TestTournament(t *testing.T) {
	plan := tiny(t)
	b := openAuditing(t, 0.3, filepath.Join(t.TempDir(), "shared"), "127.0.0.1:0", plan)
	defer b.close()
	params := plan.NewParams()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	file, err := os.Create(path)
	if err == nil {
		err = checkpoints.WriteModel(file, params, &checkpoints.Checkpoint{Game: plan.Game.Name()})
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	config, err := plan.Config.YAML()
	if err != nil {
		t.Fatal(err)
	}
	weights, err := plan.Load(params)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"az:" + path + ",simulations=6,c=0.5", "uct:simulations=4"}
	var players []player.Player
	var contestants []arena.Contestant
	for _, text := range texts {
		p, err := player.Parse(plan.Game, text)
		if err != nil {
			t.Fatal(err)
		}
		described, _, err := player.Elsewhere(text)
		if err != nil {
			t.Fatal(err)
		}
		players, contestants = append(players, p),
			append(contestants, arena.Contestant{Player: described, Params: player.Parameters(p)})
	}
	players = append(players, plan.SelfPlayer("own", weights, 5))
	contestants = append(contestants, arena.Contestant{
		Params: params, Simulations: 5, Config: string(config),
	})
	tournament := func() *arena.Tournament {
		return &arena.Tournament{
			Game: plan.Game, Players: slices.Clone(players), Games: 36, Seed: 3, Opening: 2,
			Workers: 1, GamesPerWorker: 4,
		}
	}
	want, err := tournament().Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	one := start(t, "one", b.url, b.names)
	defer one.end()
	helped, played := tournament(), make(chan struct{})
	helped.Players[1] = gated{players[1], played}
	helped.Remote = b.hub.Match(contestants)
	var group sync.WaitGroup
	group.Go(func() {
		defer close(played)
		for end := time.Now().Add(60 * time.Second); time.Now().Before(end) &&
			b.hub.Status().Matches == 0; {
			time.Sleep(time.Millisecond)
		}
	})
	got, err := helped.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	group.Wait()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v with a worker, %+v without", got, want)
	}
	if s := b.hub.Status(); s.Matches == 0 || len(s.Refused) > 0 {
		t.Errorf("%d games of the worker, refused %v", s.Matches, s.Refused)
	}
}

// TestPast: what comes late from a run that was before on the same broker is dropped, and is no
// lie.
func TestPast(t *testing.T) {
	b := openPast(t, map[string]bool{"another": true})
	defer b.close()
	l := newLiar(t, b, "late")
	defer l.conn.Close()
	h := cluster.Hello{
		Build: cluster.Build{
			Build: build, Records: record.Version, Kernels: backend.NewCPU().Kernels(),
		}, Rules: cluster.RulesDigest(b.plan.Game),
	}
	h.Session = l.hello(h).Session
	l.hello(h)
	match := cluster.MatchBlock{
		Run: "another", Session: "s", Match: 1, Players: []cluster.Contestant{{Player: "random"}},
		Seatings: [][]int{{0, 0, 0}}, Games: 1, Numbers: []int{0}, Token: strings.Repeat("0", 32),
	}
	for _, run := range []string{"another", "unknown"} {
		match.Run = run
		for range 3 {
			data, err := cluster.EncodeResults(l.id, &match, [][]game.Action{{0}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.js.Publish(context.Background(), b.names.GamesSubject(l.id),
				data); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The worker's own count is raised last.
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end) &&
		b.hub.Workers()[0].Refused < 3; {
		time.Sleep(time.Millisecond)
	}
	if s := b.hub.Status(); s.Refused["not given"] != 3 || s.Workers[0].Refused != 3 {
		t.Errorf("%+v", s)
	}
}
