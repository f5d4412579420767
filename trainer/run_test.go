package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/checkpoints"
	"tengen/configs"
	_ "tengen/game/all"
	"tengen/metrics"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/history"
	"tengen/run/runtest"
	"tengen/vfs"
)

// tiny is a run of seconds.
func tiny(t *testing.T, set ...string) *Plan {
	t.Helper()
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: append([]string{
		"game=go:size=3,players=3", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.root=puct", "search.c_puct=0.8", "search.choice=visits", "search.simulations=12",
		"warm_start.simulations=12", "warm_start.initial_games=10",
		"training.iterations=4", "training.games=12", "training.batch=32", "training.max_steps=6",
		"training.warmup_steps=2",
		"training.ema_decay=0.9", "replay.games=30", "replay.held_out=0.2",
		"evaluation.every=2", "evaluation.games=3", "evaluation.simulations=8",
		"selfplay.games_per_worker=4", "selfplay.cache_mib=1",
		"checkpoints.keep_last=9", "metrics.address=",
	}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	p.Beside, p.MostResign, p.Play.PlayedOut, p.EvaluationFloor = false, 0.4, 0.3, time.Hour
	p.Train.Workers = 1 // others would wait for one another in a loop, for most of their time
	return p
}

// beside has evaluations run beside the run.
func beside(p *Plan) *Plan {
	p.Beside = true
	return p
}

func options(t *testing.T, p *Plan, dir string) Options {
	t.Helper()
	return Options{
		Plan: p, Folder: run.Folder(dir), FS: runtest.Unsynced{}, Monitor: new(Monitor),
		Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

// newest is the run's newest checkpoint.
func newest(t *testing.T, dir string) *checkpoints.Checkpoint {
	t.Helper()
	c, passed, err := checkpoints.Latest(run.Folder(dir).Checkpoints())
	if err != nil || len(passed) > 0 {
		t.Fatalf("newest checkpoint of %s: %v, passed over %v", dir, err, passed)
	}
	return c
}

// same compares two runs' networks, solvers and games to the bit.
func same(t *testing.T, what, a, b string) {
	t.Helper()
	x, y := newest(t, a), newest(t, b)
	if x.Iteration != y.Iteration || x.Step != y.Step {
		t.Errorf("%s: iteration %d, step %d against %d, %d",
			what, x.Iteration, x.Step, y.Iteration, y.Step)
	}
	if !reflect.DeepEqual(x.Params.Tensors, y.Params.Tensors) {
		t.Errorf("%s: the networks differ", what)
	}
	if !reflect.DeepEqual(x.Average.Tensors, y.Average.Tensors) {
		t.Errorf("%s: the averaged networks differ", what)
	}
	if !reflect.DeepEqual(x.Optimizer, y.Optimizer) {
		t.Errorf("%s: the solvers differ", what)
	}
	if g, h := stateOf(t, x).Resignation, stateOf(t, y).Resignation; !reflect.DeepEqual(g, h) {
		t.Errorf("%s: players resign by %+v and %+v", what, g, h)
	}
	// Segments are removed whole, once no game of them is in the window: how many older games are
	// left depends on where the processes of a run ended.
	g, h := taught(t, a, x), taught(t, b, y)
	n := min(len(g), len(h))
	if held := stateOf(t, x).Window.Games; n < held ||
		!reflect.DeepEqual(g[len(g)-n:], h[len(h)-n:]) {
		t.Errorf("%s: the games differ; %d and %d are left, the window has %d",
			what, len(g), len(h), held)
	}
}

// taught returns the games of a run without those that a pipelined cycle played ahead and did not
// learn from.
func taught(t *testing.T, dir string, c *checkpoints.Checkpoint) []*record.Game {
	t.Helper()
	s := stateOf(t, c)
	return slices.DeleteFunc(games(t, dir), func(g *record.Game) bool {
		return g.Number >= uint64(s.Games)
	})
}

// stateOf is the run's state at a checkpoint.
func stateOf(t *testing.T, c *checkpoints.Checkpoint) *State {
	t.Helper()
	var s State
	if err := json.Unmarshal(c.State, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func games(t *testing.T, dir string) []*record.Game {
	t.Helper()
	list, damages, err := replay.Load(vfs.OS{}, run.Folder(dir).Replay())
	if err != nil || len(damages) > 0 {
		t.Fatalf("games of %s: %v, damaged %v", dir, err, damages)
	}
	return list
}

// targets are runs that learn from what is off by default.
var targets = []string{"search.fast_simulations=4", "search.full_probability=0.5",
	"training.fast_positions=none",
	"training.value_mix=0.5", "training.value_lambda=0.9", "replay.growth=0.5",
	"training.schedule=plateau", "training.plateau_iterations=1"}

// TestCountsLookups: what the cache does is told in the metrics and in the
// progress of an iteration; without a cache nothing is.
func TestCountsLookups(t *testing.T) {
	for _, mib := range []string{"0", "1"} {
		o := options(t, tiny(t, "training.iterations=1", "selfplay.cache_mib="+mib),
			filepath.Join(t.TempDir(), "run"))
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		c, p := &o.Monitor.Counters, o.Monitor.Status().Last
		lookups, hits := testutil.ToFloat64(o.Metrics.CacheLookups),
			testutil.ToFloat64(o.Metrics.CacheHits)
		if lookups != float64(c.Lookups.Load()) || hits != float64(c.CacheHits.Load()) {
			t.Errorf("%s MiB: the metrics tell of %v lookups, %v hits; counted are %d, %d",
				mib, lookups, hits, c.Lookups.Load(), c.CacheHits.Load())
		}
		switch {
		case mib == "0" && (lookups != 0 || p.CacheHits != nil):
			t.Errorf("%v lookups without a cache; the progress tells %v", lookups, p.CacheHits)
		case mib == "1" && (hits == 0 || p.CacheHits == nil || *p.CacheHits != hits/lookups):
			t.Errorf("%v hits of %v lookups; the progress tells %v", hits, lookups, p.CacheHits)
		case mib == "1" &&
			!slices.ContainsFunc(logIteration(1, 1, p), func(x any) bool {
				return x == "cache_hits"
			}):
			t.Error("the log line of an iteration does not tell of hits")
		}
	}
}

// TestDescent: every state of the searches' trees is learned from, the network
// has no policy, and what Descent does is told in metrics and progress.
func TestDescent(t *testing.T) {
	t.Parallel()
	o := options(t, tiny(t,
		append([]string{
			"warm_start.schedule=none", "warm_start.initial_games=0", "training.iterations=2",
		}, algorithms["descent"]...)...), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	learned := 0
	for _, g := range games(t, string(o.Folder)) {
		if len(g.Trees) == 0 || len(g.Outcome) != 3 {
			t.Fatalf("game %d has %d trees, the outcome %v", g.Number, len(g.Trees), g.Outcome)
		}
		learned += states(g)
	}
	p := o.Monitor.Status().Last
	if p.Positions == 0 || p.Positions > learned || p.Positions < learned/2 {
		t.Errorf("the window holds %d positions to learn from, the games' trees %d states",
			p.Positions, learned)
	}
	if p.States == 0 || p.Losses.Policy != 0 || !(p.Losses.Value > 0) {
		t.Errorf("%v states a game; losses %+v", p.States, p.Losses)
	}
	c, m := &o.Monitor.Counters, o.Metrics
	if got := testutil.ToFloat64(m.FullSearches); got == 0 || got != float64(c.Decisions.Load()) {
		t.Errorf("%v searches are told, %d were made", got, c.Decisions.Load())
	}
	if got := testutil.ToFloat64(m.ResolvedRoots); got == 0 || got != float64(c.Resolved.Load()) {
		t.Errorf("%v resolved roots are told, there were %d", got, c.Resolved.Load())
	}
	if spec := newest(t, string(o.Folder)).Params.Spec; spec.Policy != nn.PolicyNone ||
		spec.Value != nn.ValueLinear {
		t.Errorf("the network has a %s policy and a %s value", spec.Policy, spec.Value)
	}
}

// TestWarnsOfFullTrees: where trees have no room, the event log says so.
func TestWarnsOfFullTrees(t *testing.T) {
	o := options(t, tiny(t,
		append([]string{"training.iterations=1", "descent.max_nodes=40"},
			algorithms["descent"]...)...), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(history, func(e run.Event) bool {
		return e.Kind == "warning" && strings.Contains(e.Message, "descent.max_nodes")
	}) || testutil.ToFloat64(o.Metrics.FullTrees) == 0 {
		t.Errorf("searches of at most 40 states were not reported to be cut short: %+v", history)
	}
}

// TestTimeLimit: a run with a limit of time ends there, and its learning rate has
// followed the clock.
func TestTimeLimit(t *testing.T) {
	o := options(t, tiny(t, "training.iterations=1000000", "training.minutes=1",
		"evaluation.every=0"), filepath.Join(t.TempDir(), "run"))
	// The clock moves a tenth of a second whenever it is asked.
	var asked atomic.Int64
	o.Now = func() time.Time { return time.Unix(1000, 100_000_000*asked.Add(1)) }
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	s := o.Monitor.Status()
	if s.Iteration < 3 || s.Iteration > 600 {
		t.Errorf("%d iterations in a minute of a thousand readings of the clock", s.Iteration)
	}
	if s.State != run.Complete || s.Share != 1 || s.Left != 0 || s.Limit != time.Minute {
		t.Errorf("at its end it is %s, %g of it done, %v left of %v",
			s.State, s.Share, s.Left, s.Limit)
	}
	if h, err := history.Read(t.Context(), string(o.Folder)); err != nil ||
		h.State() != history.Complete {
		t.Errorf("its folder tells: %v, %v", h.State(), err)
	}
	if s.Last.Elapsed < 55 || s.Last.Elapsed > 70 {
		t.Errorf("the last iteration ends after %.0f s of 60", s.Last.Elapsed)
	}
	if rate := s.Last.Losses.LearningRate; rate > 2e-4 {
		t.Errorf("the learning rate ends at %g: a cosine from 2e-3 falls to almost nothing", rate)
	}
}

// TestTimeLimitOfNothing: a run whose time is up before it has begun makes one iteration.
func TestTimeLimitOfNothing(t *testing.T) {
	o := options(t, tiny(t, "training.iterations=5", "training.minutes=1", "evaluation.every=0"),
		filepath.Join(t.TempDir(), "run"))
	var asked atomic.Int64
	o.Now = func() time.Time { return time.Unix(1000+100*asked.Add(1), 0) }
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if s := o.Monitor.Status(); s.Iteration != 1 || s.Last == nil {
		t.Errorf("%d iterations", s.Iteration)
	}
}

// limited is a run that ends with its evaluations.
var limited = []string{
	"training.iterations=1000000", "training.evaluations=4500", "warm_start.schedule=linear",
}

// TestEvaluationsLimit: a run with a limit of evaluations ends after the iteration in which it is
// reached, which is the same with other workers and without a cache, and its schedules have
// followed the evaluations.
func TestEvaluationsLimit(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	whole := filepath.Join(root, "whole")
	for name, set := range map[string][]string{
		"whole": nil, "workers": {"selfplay.workers=3"}, "uncached": {"selfplay.cache_mib=0"},
		"alone": {"selfplay.games_per_worker=1"},
	} {
		set = slices.Concat(limited, []string{"evaluation.every=0", "selfplay.workers=1"}, set)
		if err := Run(context.Background(),
			options(t, tiny(t, set...), filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"workers", "uncached", "alone"} {
		same(t, name, whole, filepath.Join(root, name))
	}
	var s State
	if err := json.Unmarshal(newest(t, whole).State, &s); err != nil {
		t.Fatal(err)
	}
	played, before := uint64(0), uint64(0)
	for _, g := range games(t, whole) {
		if played += g.Evaluations; g.Iteration < s.Iteration-1 {
			before = played
		}
	}
	if s.Iteration < 3 || s.Evaluations != played || played < 4500 || before >= 4500 {
		t.Errorf("the run ends after iteration %d with %d evaluations in its state, %d in its games, %d of them before the last iteration", s.Iteration, s.Evaluations, played, before)
	}
	history, err := run.Folder(whole).History()
	if err != nil {
		t.Fatal(err)
	}
	var shares []float64
	last := 0.0
	for _, e := range history {
		if p := e.Progress; p != nil {
			share := min(1, last/4500)
			if want := 0.5 + share*(0.05-0.5); math.Abs(p.Epsilon-want) > 1e-3 {
				t.Errorf("iteration %d began after %g evaluations with epsilon %g, want %g",
					e.Iteration, last, p.Epsilon, want)
			}
			last, shares = float64(p.Asked), append(shares, share)
			if e.Iteration == s.Iteration && p.Losses.LearningRate > 1e-5 {
				t.Errorf("the learning rate ends at %g: a cosine from 2e-3 falls to almost nothing",
					p.Losses.LearningRate)
			}
		}
	}
	if len(shares) != s.Iteration || last != float64(played) {
		t.Errorf("the events tell of %d iterations and %g evaluations", len(shares), last)
	}
}

func TestRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := tiny(t, "training.iterations=1")
	if err := Run(context.Background(), options(t, p, dir)); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), options(t, p, dir)); err == nil ||
		!strings.Contains(err.Error(), "--resume") {
		t.Errorf("a second run in the same folder: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), options(t, p, other)); err == nil ||
		!strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder with something else in it: %v", err)
	}
	o := options(t, tiny(t, "game=tictactoe"), dir)
	o.Resume = true
	if err := Run(context.Background(), o); err == nil ||
		!strings.Contains(err.Error(), "game: go:size=3,players=3 → tictactoe") {
		t.Errorf("resuming with another game: %v", err)
	}
}

// TestOneProcess: a run that is under way is nobody else's, and a folder that is
// refused is left as it was.
func TestOneProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	o := options(t, tiny(t, "training.iterations=1"), dir)
	o.Command = "tengen train --run first"
	second := make(chan error, 1)
	var once sync.Once
	o.Now = func() time.Time {
		if run.Folder(dir).Exists() {
			once.Do(func() {
				other := options(t, tiny(t, "training.iterations=1"), dir)
				other.Resume = true
				second <- Run(context.Background(), other)
			})
		}
		return time.Now()
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := <-second; !errors.Is(err, vfs.ErrLocked) ||
		!strings.Contains(err.Error(), "tengen train --run first") {
		t.Errorf("a second process in the same run: %v", err)
	}
	strange := t.TempDir()
	if err := os.WriteFile(filepath.Join(strange, "thesis.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Run(context.Background(), options(t, tiny(t), strange)); err == nil {
		t.Error("a folder with something else in it is taken")
	}
	if entries, err := os.ReadDir(strange); err != nil || len(entries) != 1 {
		t.Errorf("a folder that was refused now holds %v, %v", entries, err)
	}
}

// TestOldGamesGo: games that no recent checkpoint needs are removed from disk,
// unless many checkpoints are kept, and the run resumes as if they were there.
func TestOldGamesGo(t *testing.T) {
	for _, keepAll := range []bool{false, true} {
		set := []string{
			"replay.games=20", "checkpoints.keep_last=2", "training.iterations=6",
			"evaluation.every=0",
		}
		if keepAll {
			set = append(set, "checkpoints.keep_last=100")
		}
		dir := filepath.Join(t.TempDir(), "run")
		if err := Run(context.Background(), options(t, tiny(t, set...), dir)); err != nil {
			t.Fatal(err)
		}
		list := games(t, dir)
		first := list[0].Number
		// 10 + 6·12 games in all; the checkpoint before the last has 70, its window begins at 50.
		if keepAll && first != 0 || !keepAll && (first == 0 || first > 50) {
			t.Errorf("keep all %v: the first game on disk is %d", keepAll, first)
		}
		o := options(t, tiny(t, set...), dir)
		o.Resume = true
		if err := Run(context.Background(), o); err != nil {
			t.Errorf("keep all %v: resuming the finished run: %v", keepAll, err)
		}
	}
}
