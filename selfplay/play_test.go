package selfplay

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/nn"
	"tengen/nn/nntest"
	"tengen/player"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

func settings(name string) *Settings {
	return &Settings{
		Game: game.Must(game.New(name)), Seed: 7,
		Network: &player.AlphaZero{
			PUCT:        mcts.PUCT{Simulations: 16, C: 0.8, Reuse: true, Noise: 0.25},
			Temperature: 1, Plies: 4, SelfPlay: &player.SelfPlay{LateTemperature: 0.2},
		},
		UCT: player.UCT{Simulations: 16, C: 0.8, Utility: player.Points},
	}
}

// az returns the player of the network.
func az(s *Settings) *player.AlphaZero { return s.Network.(*player.AlphaZero) }

// weights returns those of a small network of g.
func weights(t *testing.T, g game.Game) *nn.Weights {
	t.Helper()
	return nn.Fold(params(t, g, 1, nneval.Size{}))
}

// params draws the parameters of a small network of g from a seed. heads say what is not usual.
func params(
	t *testing.T, g game.Game, seed uint64, heads nneval.Size, believed ...game.HiddenFact,
) *nn.Params {
	t.Helper()
	heads.Blocks, heads.Filters, heads.Hidden = 1, 8, 8
	spec, err := nneval.Spec(g, heads)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range believed {
		spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, x.Classes)
	}
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.Init(random.New(seed, random.Test))
	return p
}

func numbers(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(100 + i)
	}
	return list
}

func playJob(
	t *testing.T, s *Settings, job Job, workers, gamesPerWorker int,
) ([]*record.Game, *Counters) {
	t.Helper()
	var c Counters
	return playCounted(t, s, job, workers, gamesPerWorker, &c), &c
}

func playCounted(
	t *testing.T, s *Settings, job Job, workers, gamesPerWorker int, c *Counters,
) []*record.Game {
	t.Helper()
	var games []*record.Game
	err := Play(context.Background(),
		s, job, workers, gamesPerWorker, c, func(g *record.Game) error {
			games = append(games, g)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// TestSameGamesOnAnyWorkers: the games of a job do not depend on the number of workers.
func TestSameGamesOnAnyWorkers(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tictactoe"} {
		for _, fast := range []int{0, 4} {
			s := settings(name)
			az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability = fast, 0.4
			az(s).PUCT.BatchSize = fast
			job := Job{
				Games: numbers(24), Iteration: 3, Step: 9, Epsilon: 0.3,
				Weights: weights(t, s.Game),
			}
			want, _ := playJob(t, s, job, 1, 1)
			for _, c := range [][2]int{{1, 5}, {2, 8}, {4, 64}} {
				if got, _ := playJob(t, s, job, c[0], c[1]); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %d workers, groups of %d: other games than with one of each",
						name, c[0], c[1])
				}
			}
		}
	}
}

// TestSameGamesWithACache: a cache of any size, shared or not, changes no game. The same holds
// if positions are evaluated in their canonical orientation, which gives other games.
func TestSameGamesWithACache(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tictactoe"} {
		var games [2][]*record.Game
		var evaluations [2]uint64
		for i, canonical := range []bool{false, true} {
			s := settings(name)
			az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability = 4, 0.4
			az(s).Canonical = canonical
			job := Job{
				Games: numbers(24), Iteration: 3, Step: 9, Epsilon: 0.3,
				Weights: weights(t, s.Game),
			}
			want, plain := playJob(t, s, job, 1, 5)
			if plain.Lookups.Load() != 0 || plain.CacheHits.Load() != 0 {
				t.Errorf("%s: %d lookups without a cache", name, plain.Lookups.Load())
			}
			games[i] = want
			for _, mib := range []int{1, 8} {
				az(s).Cache = nneval.NewCache(s.Game, mib)
				for _, c := range [][2]int{{1, 1}, {1, 5}, {2, 8}, {4, 64}} {
					var lookups, hits atomic.Uint64
					counters := &Counters{
						OnLookups: func(l, h uint64) { lookups.Add(l); hits.Add(h) },
					}
					// A copy of the weights, so that each play begins with an empty cache.
					job.Weights = weights(t, s.Game)
					if got := playCounted(t, s, job, c[0], c[1],
						counters); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, canonical %v: %d workers, groups of %d, %d MiB: other games than without a cache", name, canonical, c[0], c[1], mib)
					}
					if counters.Lookups.Load() != lookups.Load() ||
						counters.CacheHits.Load() != hits.Load() {
						t.Errorf("%s: counted %d lookups, %d hits; told of %d, %d", name,
							counters.Lookups.Load(), counters.CacheHits.Load(), lookups.Load(),
							hits.Load())
					}
					if lookups.Load() != plain.Evaluations.Load() || hits.Load() == 0 ||
						hits.Load()+counters.Evaluations.Load() != lookups.Load() {
						t.Errorf("%s: %d lookups, %d hits, %d evaluations; %d evaluations without a cache",
							name, lookups.Load(), hits.Load(), counters.Evaluations.Load(),
							plain.Evaluations.Load())
					}
					if c == [2]int{1, 5} {
						evaluations[i] = counters.Evaluations.Load()
					}
				}
			}
		}
		if reflect.DeepEqual(games[0], games[1]) {
			t.Errorf("%s: canonical orientations change nothing", name)
		}
		if evaluations[1] >= evaluations[0] {
			t.Errorf("%s: %d evaluations in canonical orientations, %d without",
				name, evaluations[1], evaluations[0])
		}
	}
}

// TestRecords: records hold what a sample needs, and replaying them gives the result.
func TestRecords(t *testing.T) {
	s := settings("go:size=3,players=3")
	az(s).SelfPlay.FastSimulations, az(s).SelfPlay.FullProbability = 4, 0.5
	games, c := playJob(t, s,
		Job{
			Games: numbers(40), Iteration: 3, Step: 9, Epsilon: 0.3, Weights: weights(t, s.Game),
		}, 2, 8)
	if len(games) != 40 {
		t.Fatalf("%d games, want 40", len(games))
	}
	uct, plies, positions, fast, full := 0, 0, 0, 0, 0
	for i, g := range games {
		if g.Number != uint64(100+i) || g.Iteration != 3 || g.Seed != 7 || g.Name != s.Game.Name() {
			t.Errorf("record %d says %d, iteration %d, seed %d, %s",
				i, g.Number, g.Iteration, g.Seed, g.Name)
		}
		if err := g.Check(); err != nil {
			t.Errorf("game %d: %v", g.Number, err)
		}
		for _, seat := range g.Seats {
			if seat.Kind == record.UCT {
				uct++
			} else if seat.Step != 9 {
				t.Errorf("game %d: a network seat of step %d, want 9", g.Number, seat.Step)
			}
		}
		state := s.Game.NewState()
		for ply, m := range g.Moves {
			if state.CurrentPlayer() != m.Mover {
				t.Fatalf("game %d, ply %d: the record says %d moves, the rules %d",
					g.Number, ply, m.Mover, state.CurrentPlayer())
			}
			forced := len(state.LegalActions(nil)) == 1
			kind := g.Seats[m.Mover].Kind
			switch {
			case forced && (len(m.Visits) > 0 || len(m.Value) > 0):
				t.Errorf("game %d, ply %d: a forced action with a search", g.Number, ply)
			case !forced && kind == record.UCT && len(m.Visits) > 0:
				t.Errorf("game %d, ply %d: UCT gives a policy target", g.Number, ply)
			case !forced && len(m.Value) != 3:
				t.Errorf("game %d, ply %d: %d root values", g.Number, ply, len(m.Value))
			case !forced && kind == record.Network && len(m.Visits) == 0:
				fast++
			case !forced && kind == record.Network:
				full++
				n := uint32(0)
				for _, v := range m.Visits {
					n += v.N
				}
				if n < 16 {
					t.Errorf("game %d, ply %d: a full search of %d visits, want at least 16",
						g.Number, ply, n)
				}
			}
			if !forced {
				positions++
			}
			plies++
			state.Apply(m.Action)
		}
		returns := make([]float32, 3)
		if state.CurrentPlayer() != game.Nobody {
			t.Fatalf("game %d is not over at the end of its record", g.Number)
		}
		if state.Returns(returns); !reflect.DeepEqual(returns, g.Returns) {
			t.Errorf("game %d: returns %v, the rules say %v", g.Number, g.Returns, returns)
		}
	}
	if fast == 0 || full == 0 {
		t.Errorf("%d fast and %d full searches; some of each are wanted", fast, full)
	}
	if uct == 0 || uct == 120 {
		t.Errorf("%d of 120 seats are UCT's", uct)
	}
	if c.Games.Load() != 40 || c.Plies.Load() != uint64(plies) ||
		c.Positions.Load() != uint64(positions) || c.UCTSeats.Load() != uint64(uct) {
		t.Errorf("counted %d games, %d plies, %d positions, %d UCT seats; want 40, %d, %d, %d",
			c.Games.Load(), c.Plies.Load(), c.Positions.Load(), c.UCTSeats.Load(), plies,
			positions, uct)
	}
	if c.Evaluations.Load() == 0 || c.Evaluations.Load() > c.BatchRows.Load() ||
		c.Simulations.Load() < c.Evaluations.Load() {
		t.Errorf("counted %d evaluations in batches with %d places, %d simulations",
			c.Evaluations.Load(), c.BatchRows.Load(), c.Simulations.Load())
	}
}

func TestUCTAlone(t *testing.T) {
	s := settings("go:size=3,players=3")
	s.UCTPolicyTarget = true
	games, c := playJob(t, s, Job{Games: numbers(5), Epsilon: 1}, 2, 8)
	for _, g := range games {
		searched := false
		for _, m := range g.Moves {
			searched = searched || len(m.Visits) > 0
		}
		if !searched {
			t.Errorf("game %d gives no policy target", g.Number)
		}
	}
	if c.Evaluations.Load() != 0 || c.UCTSeats.Load() != 15 {
		t.Errorf("%d evaluations, %d UCT seats; want 0, 15",
			c.Evaluations.Load(), c.UCTSeats.Load())
	}
}

func TestStops(t *testing.T) {
	s := settings("go:size=3,players=3")
	job := Job{Games: numbers(2000), Weights: weights(t, s.Game)}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := Play(ctx, s, job, 2, 4, new(Counters), func(*record.Game) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("cancelled at game 3: %v after %d games", err, n)
	}
	broken := errors.New("disk full")
	err = Play(context.Background(), s, job, 2, 4, new(Counters), func(*record.Game) error {
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("emit fails: %v", err)
	}
}

// TestStopsUCT: a search of UCT that would take for ever ends with the context, in the worker's
// goroutine and beside it.
func TestStopsUCT(t *testing.T) {
	for _, name := range []string{"alone", "beside"} {
		s := settings("go:size=3,players=3")
		endless := player.UCT{Simulations: 1 << 24, C: 0.8, Utility: player.Points}
		job := Job{Games: numbers(8)}
		switch name {
		case "alone":
			s.UCT, job.Epsilon = endless, 1
		case "beside":
			s.UCT, job.Epsilon, job.Weights = endless, 0.9, &nntest.Device{
				Network: weights(t, s.Game),
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		ended := make(chan error, 1)
		go func() {
			ended <- Play(ctx, s, job, 2, 2, new(Counters), func(*record.Game) error { return nil })
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it goes on", name)
		}
	}
}

// TestSearchesLookAhead: a game's search looks ahead between its evaluations, and a game without a
// network has none that could.
func TestSearchesLookAhead(t *testing.T) {
	s := settings("tictactoe")
	for _, job := range []Job{
		{Games: numbers(1), Weights: weights(t, s.Game)}, {Games: numbers(1), Epsilon: 1},
	} {
		p := NewPool(s, &oneJob{job: &job}, 1, 1, &Counters{})
		p.finished = make(chan finished, 1)
		w := newWorker(p, &job, p.wakers[0])
		x := w.groups[0].Tasks[0].(*gameTask)
		if x.Foreseer() != nil {
			t.Error("a search is under way before the game")
		}
		if job.Weights == nil {
			continue
		}
		e := w.groups[0].Evaluators[0]
		for range 5 {
			if n := x.Advance([]search.Requests{e}); n != 0 {
				t.Fatalf("the game waits for %d, not for its network", n)
			}
			evaluations, err := e.Evaluate()
			if err != nil {
				t.Fatal(err)
			}
			if f := x.Foreseer(); f == nil || f.Foresee() {
				t.Fatal("there is no search under way, or it does not wait")
			}
			x.Deliver(evaluations)
			if f := x.Foreseer(); !f.Foresee() {
				t.Fatal("the search does not look ahead")
			}
		}
	}
}
