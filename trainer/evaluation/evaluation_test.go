package evaluation

import (
	"context"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/arena"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/testkit"
	"tengen/metrics"
	"tengen/nn"
	"tengen/player"
	"tengen/run"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// uct is the baseline of tests.
var uct = player.UCT{Simulations: 20, C: 0.8, Utility: player.Unit}

// options are those of a series in memory whose networks play at random.
func options(t *testing.T) Options {
	t.Helper()
	fsys := vfstest.NewMemory()
	folder := run.Folder("run").On(fsys)
	if err := vfs.MkdirAll(fsys, filepath.Dir(folder.Ratings())); err != nil {
		t.Fatal(err)
	}
	return Options{
		Evaluation: configs.Evaluation{Games: 2}, Game: game.Must(game.New("tictactoe")), Seed: 1,
		Baseline: uct, Folder: folder,
		Workers: 1, GamesPerWorker: 1,
		Player:     func(string, nn.Network) player.Player { return player.Random{} },
		Saved:      func(int) (nn.Network, error) { return nil, fs.ErrNotExist },
		Contestant: func(nn.Network) arena.Contestant { return arena.Contestant{} },
		Remote:     func(...arena.Contestant) arena.RemoteWorkers { return nil },
		Metrics:    metrics.New(nil), Log: slog.New(slog.DiscardHandler),
		Tell: func(run.Event) {}, Update: func(func(*run.Status)) {},
		Enter:  func(run.Stage, int) {},
		Finish: func() {}, Elapsed: func() time.Duration { return time.Second }, Draw: func() {},
		Write: func(_ context.Context, _, _ string, f func() error) error { return f() },
	}
}

// TestSkips: an evaluation that is due while another is under way is left out,
// and the last network is measured all the same.
func TestSkips(t *testing.T) {
	o := options(t)
	o.Concurrent = true
	e, err := Open(o, 0)
	if err != nil {
		t.Fatal(err)
	}
	under := make(chan struct{}) // an evaluation that does not end
	e.done, e.cancel = under, func() {}
	e.Due(t.Context(), Network{Iteration: 2})
	if e.done != under || testutil.ToFloat64(o.Metrics.SkippedEvaluations) != 1 || e.measured(2) {
		t.Error("an evaluation was begun beside another")
	}
	close(under)
	e.Due(t.Context(), Network{Iteration: 4})
	if e.done == under || !slices.Contains(e.Wanted(), 4) {
		t.Error("no evaluation was begun after another")
	}
	e.Last(t.Context(), Network{Iteration: 5})
	if !e.measured(4) || !e.measured(5) {
		t.Error("the last evaluations are not there")
	}
	if testutil.ToFloat64(o.Metrics.SkippedEvaluations) != 1 {
		t.Error("the last evaluation was left out")
	}
}

// TestCountsGames: the status tells how many games of an evaluation are played, and how many there
// are; an evaluation between iterations is expected to take as long as so many games of self-play,
// those of UCT alone included before they are played.
func TestCountsGames(t *testing.T) {
	o := options(t)
	var told run.Status
	o.Update = func(f func(*run.Status)) { f(&told) }
	o.Saved = func(int) (nn.Network, error) { return new(nn.Weights), nil }
	e, err := Open(o, 0)
	if err != nil {
		t.Fatal(err)
	}
	e.Played(10, 20*time.Second)
	// Four against UCT, and four of UCT alone, or two rounds of two against the network before.
	for iteration, want := range []int{4 + 4, 4 + 2*2} {
		n := Network{Iteration: iteration}
		if got := e.expected(n); got != time.Duration(2*want)*time.Second {
			t.Errorf("evaluation %d is expected to take %v, not the time of %d games",
				iteration, got, want)
		}
		e.measure(t.Context(), n, 1, func(done, all int) {
			o.Update(func(s *run.Status) { s.Done, s.All = done, all })
		})
		if told.Done != want || told.All != want {
			t.Errorf("evaluation %d: %d games of %d are played, want %d",
				iteration, told.Done, told.All, want)
		}
	}
}

// TestOpponent: the network evaluated before is met, and nobody from later on.
func TestOpponent(t *testing.T) {
	weights := new(nn.Weights)
	e := &Series{o: options(t)}
	n := Network{Weights: weights}
	if e.opponent(n) != nil {
		t.Error("the first network evaluated meets another")
	}
	e.earlier = &Network{9, weights}
	for _, of := range []int{15, 9, 3} {
		if got := e.opponent(Network{of, weights}); (got != nil) != (of == 15) {
			t.Errorf("network %d meets %+v", of, got)
		}
	}
	e.earlier.Weights = nil // and no checkpoint
	if got := e.opponent(Network{15, weights}); got != nil {
		t.Errorf("without a checkpoint %+v is met", got)
	}
}

// TestLogsReport: the games against UCT are logged with the players of their seats.
func TestLogsReport(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	want, err := (&arena.Versus{
		Game: g, Player: player.Random{}, Baseline: uct, Games: 4,
		BaselineGames: 6, Seed: 5, Workers: 2, GamesPerWorker: 4,
	}).Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	games := logReport(want, "000000")
	if len(games) != 18 {
		t.Errorf("%d games are logged, want 18", len(games))
	}
	// What is logged sums to what is reported.
	var points, base arena.Stat
	points.Least, points.Most = game.ScoreRange(g)
	base.Least, base.Most = points.Least, points.Most
	for i, g := range games {
		if g.Number != i || g.Round != 0 {
			t.Errorf("game %d is %+v", i, g)
		}
		switch g.Players[1] {
		case "000000":
			points.Add(float64(g.Scores[1]))
		case run.UCTName:
			if g.Players[0] == run.UCTName && g.Players[2] == run.UCTName {
				base.Add(float64(g.Scores[1]))
			}
		}
	}
	if points != want.Seats[1].Points || base != *want.Seats[1].Base {
		t.Errorf("logged: %v, %v; reported: %v, %v",
			points, base, want.Seats[1].Points, want.Seats[1].Base)
	}
}

// TestProcessorsAllowed: how evaluations share the machine follows from the processors that the
// process may use, of which a container may have fewer than the machine.
func TestProcessorsAllowed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 3, 8, 40} {
		runtime.GOMAXPROCS(n)
		if Concurrent() != (n > 4) || concurrentWorkers() != max(1, n/8) {
			t.Errorf("with %d processors: concurrent %v, with %d workers",
				n, Concurrent(), concurrentWorkers())
		}
	}
}
