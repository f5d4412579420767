//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"tengen/cluster"
	"tengen/cluster/hub"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/nn/backend/fake"
	"tengen/replay/record"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/trainer"
)

// simulated is a worker that plays nothing: it sends finished games.
type simulated struct {
	id        string
	names     cluster.Names
	templates []*record.Game
	hello     cluster.Hello

	conn    *nats.Conn
	js      jetstream.JetStream
	mu      sync.Mutex
	waiting map[string]chan cluster.Done // by token: receives the trainer's notice
	counted atomic.Uint64                // games that the trainer has acknowledged
	refused atomic.Uint64                // blocks
	latency []time.Duration              // from the end of a fetch to the acknowledgement
	numbers []uint64                     // acknowledged games
}

// connect connects a worker, once the broker answers.
func (s *simulated) connect(ctx context.Context, url string) error {
	options, _, err := new(cluster.Credentials).Options()
	if err != nil {
		return err
	}
	if s.conn, err = cluster.Wait(ctx, url, func(error) {}, options...); err != nil {
		return err
	}
	if s.js, err = jetstream.New(s.conn, jetstream.WithDefaultTimeout(20*time.Second)); err != nil {
		return err
	}
	s.waiting = map[string]chan cluster.Done{}
	for _, subject := range []string{s.names.DoneSubject(s.id), s.names.OverSubject()} {
		if _, err := s.conn.Subscribe(subject, s.done); err != nil {
			return err
		}
	}
	return nil
}

// done takes the trainer's notice of blocks that are over.
func (s *simulated) done(m *nats.Msg) {
	d := new(cluster.Done)
	if cluster.Decode(m.Data, d) != nil {
		return // the trainer's fault, and the block's games do not count
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range d.Tokens {
		if c := s.waiting[t]; c != nil {
			select {
			case c <- *d:
			default:
			}
		}
	}
}

// greet says hello until the trainer answers.
func (s *simulated) greet(ctx context.Context) (*cluster.Welcome, error) {
	s.hello.Finished = s.counted.Load()
	data, err := cluster.Encode(&s.hello)
	if err != nil {
		return nil, err
	}
	for {
		m, err := s.conn.RequestWithContext(ctx, s.names.HelloSubject(s.id), data)
		if err == nil {
			w := new(cluster.Welcome)
			return w, cluster.Decode(m.Data, w)
		}
		if !errors.Is(err, nats.ErrNoResponders) || ctx.Err() != nil {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond) // the broker is up, and the trainer is not yet
	}
}

// work takes blocks and sends their games until ctx ends.
func (s *simulated) work(ctx context.Context, pause time.Duration) error {
	s.hello = cluster.Hello{Worker: s.id, Host: "simulated", Games: 24, Build: build()}
	limited, cancel := context.WithTimeout(ctx, 30*time.Second)
	w, err := s.greet(limited)
	if err == nil && w.Refused == "" {
		s.hello.Session, s.hello.Rules = w.Session, w.Rules
		w, err = s.greet(limited)
	}
	cancel()
	if err == nil && w.Refused != "" {
		err = fmt.Errorf("refused: %s", w.Refused)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("worker %s says hello: %w", s.id, err)
	}
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(pause):
				limited, cancel := context.WithTimeout(ctx, 5*time.Second)
				_, _ = s.greet(limited) // another follows
				cancel()
			}
		}
	})
	consumer, err := s.js.Consumer(ctx, s.names.Work(), cluster.WorkConsumer)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	for ctx.Err() == nil {
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		list, err := consumer.Fetch(1, jetstream.FetchContext(limited))
		if err == nil {
			for m := range list.Messages() {
				if err := s.play(ctx, m); err != nil {
					cancel()
					return err
				}
			}
		}
		cancel()
	}
	return nil
}

// play sends the games of a block and waits for the trainer.
func (s *simulated) play(ctx context.Context, m jetstream.Msg) error {
	began := time.Now()
	b := new(cluster.Block)
	if err := cluster.Decode(m.Data(), b); err != nil {
		return err
	}
	games := make([]*record.Game, len(b.Numbers))
	for i, n := range b.Numbers {
		g := *s.templates[n%uint64(len(s.templates))]
		g.Number, g.Iteration = n, b.Iteration
		g.Seats = slices.Repeat([]record.SeatRecord{{Kind: record.Network, Step: b.Step}},
			len(g.Seats))
		games[i] = &g
	}
	messages, err := cluster.EncodeBatches(s.id, b, games)
	if err != nil {
		return err
	}
	over := make(chan cluster.Done, 1)
	s.mu.Lock()
	s.waiting[b.Token] = over
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, b.Token)
		s.mu.Unlock()
	}()
	for ctx.Err() == nil {
		for _, data := range messages {
			limited, cancel := context.WithTimeout(ctx, 20*time.Second)
			_, err := s.js.Publish(limited, s.names.GamesSubject(s.id), data)
			cancel()
			if err != nil && ctx.Err() == nil {
				time.Sleep(time.Second) // GAMES is full
				break
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case d := <-over:
			if d.Refused != "" {
				s.refused.Add(1)
				return fmt.Errorf("worker %s: %s", s.id, d.Refused)
			}
			if !d.Counted {
				return m.Ack() // the trainer's own workers, or another worker, were faster
			}
			s.counted.Add(uint64(len(games)))
			s.mu.Lock()
			s.latency = append(s.latency, time.Since(began))
			s.numbers = append(s.numbers, b.Numbers...)
			s.mu.Unlock()
			return m.Ack()
		case <-time.After(30 * time.Second):
		}
	}
	return nil
}

// templates returns finished games: those of a run, or random ones.
func templates(g game.Game, seed uint64, folder string, plies int) ([]*record.Game, error) {
	if folder != "" {
		games, _, err := tengen.LoadGames(run.Folder(folder))
		if err != nil {
			return nil, err
		}
		games = slices.DeleteFunc(games, func(x *record.Game) bool {
			return x.Name != g.Name() || x.Prefix > 0 ||
				slices.ContainsFunc(x.Seats, func(s record.SeatRecord) bool {
					return s.Kind != record.Network
				})
		})
		if len(games) == 0 {
			return nil, fmt.Errorf("%s has no game of %s whose seats are all the network's",
				folder, g.Name())
		}
		games = games[max(0, len(games)-500):]
		for _, x := range games {
			x.Seed, x.Stream, x.EndOrder = seed, 0, false
		}
		return games, nil
	}
	var games []*record.Game
	for i := uint64(0); len(games) < 200 && i < 20_000; i++ {
		if x := randomGame(g, seed, i); plies == 0 ||
			max(len(x.Moves)-plies, plies-len(x.Moves)) <= plies/10 {
			games = append(games, x)
		}
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("no random game of %s has about %d plies", g.Name(), plies)
	}
	return games, nil
}

// randomGame plays a game at random, with records like those of a search.
func randomGame(g game.Game, seed, number uint64) *record.Game {
	rng := random.New(number, random.Test)
	state := g.NewState()
	x := &record.Game{
		Number: number, Name: g.Name(), Seed: seed, Seats: make([]record.SeatRecord, g.Players()),
	}
	for state.CurrentPlayer() != game.Nobody {
		mover := state.CurrentPlayer()
		m := record.Move{Mover: mover}
		if mover == game.Chance {
			outcomes := state.(game.Chancer).Outcomes(nil)
			m.Action = outcomes[rng.IntN(len(outcomes))].Action
		} else {
			legal := state.LegalActions(nil)
			m.Action, m.Choice = legal[rng.IntN(len(legal))], len(legal) > 1
			if len(legal) > 1 {
				for _, a := range legal[:min(len(legal), 16)] {
					m.Visits = append(m.Visits, record.Visit{Action: a, N: 1 + rng.Uint32N(30)})
				}
				for range g.Players() {
					m.Value = append(m.Value, float32(rng.IntN(1000))/1000/float32(g.Players()))
				}
			}
		}
		x.Moves = append(x.Moves, m)
		state.Apply(m.Action)
	}
	x.Returns, x.Scores = make([]float32, g.Players()), make([]float32, g.Players())
	state.Returns(x.Returns)
	game.Scores(state, x.Scores)
	return x
}

// build is what the trainer and the simulated workers say that they are.
func build() cluster.Build {
	return cluster.Build{
		Build: "crowd", Records: record.Version, Kernels: new(fake.Modelled).Kernels(),
	}
}

// runTrainer is the trainer's process of crowd: it trains with a modelled device until it is
// killed.
func runTrainer(ctx context.Context, args []string, _, stderr io.Writer) error {
	var o tengen.Options
	flags := o.Flags("trainer", "Trainer is a part of crowd.\n\n", stderr)
	preset := flags.String("config", "quick", "preset or file of the configuration")
	address := flags.String("share", "", "address of the broker")
	if err := flags.Parse(args); err != nil {
		return err
	}
	resolved, err := configs.Resolve(configs.Options{Name: *preset, Set: o.Set})
	if err != nil {
		return err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return err
	}
	// Slow enough that what the trainer plays itself does not count, and quick enough that nobody
	// waits for it.
	model := fake.H100()
	model.Launch, model.Few, model.Rows = 2*time.Millisecond, 0, 16
	plan.Backend = fake.NewModelled(model)
	log := slog.New(slog.NewTextHandler(stderr, nil))
	collectors := metrics.New(nil)
	names, err := cluster.NewNames(cluster.DefaultName)
	if err != nil {
		return err
	}
	b, err := cluster.OpenBroker(cluster.BrokerOptions{
		Address: *address, Folder: filepath.Join(o.Dir, run.ClusterFolder), Names: names, Log: log,
	})
	if err != nil {
		return err
	}
	defer b.Close()
	conn, err := b.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	h, err := hub.Open(ctx, hub.Options{
		Conn: conn, Names: names, Folder: o.Dir, Config: plan.Config, Play: &plan.Play,
		Build: build(),
		Log:   log, Metrics: collectors, Now: time.Now,
	})
	if err != nil {
		return err
	}
	plan.Play.Remote = h
	err = trainer.Run(ctx, trainer.Options{
		Plan: plan, Folder: run.Folder(o.Dir), Monitor: new(trainer.Monitor), Metrics: collectors,
		Log: log, Now: time.Now, Command: strings.Join(args, " "),
	})
	return errors.Join(err, h.Close())
}
