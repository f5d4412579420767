package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/internal/testkit"
	"tengen/run"
	"tengen/trainer/evaluation"
)

// TestEvaluationChangesNothing: beside the run, between its iterations or
// not at all, the network is the same; beside and between find the same.
func TestEvaluationChangesNothing(t *testing.T) {
	root := t.TempDir()
	dirs := map[string]string{}
	for name, set := range map[string][]string{
		"off": {"evaluation.every=0"}, "between": {"evaluation.every=1"},
		"beside": {"evaluation.every=1"},
	} {
		dirs[name] = filepath.Join(root, name)
		p := tiny(t, set...)
		p.Beside = name == "beside"
		if err := Run(context.Background(), options(t, p, dirs[name])); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "evaluations between iterations", dirs["off"], dirs["between"])
	same(t, "evaluations beside the run", dirs["off"], dirs["beside"])
	found := func(dir string, iteration int) (f struct {
		Seats []arena.SeatResult `json:"seats"`
		Sum   arena.Sum          `json:"sum"`
	}) {
		text, err := os.ReadFile(run.Folder(dir).Evaluation(iteration))
		if err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Seats {
			f.Seats[i].Base = nil // is in the first evaluation, which may be any
		}
		return f
	}
	for _, iteration := range []int{0, 4} { // those are never left out
		if a, b := found(dirs["between"], iteration),
			found(dirs["beside"], iteration); !reflect.DeepEqual(a, b) || len(a.Seats) != 3 {
			t.Errorf("iteration %d: %+v between, %+v beside", iteration, a, b)
		}
	}
}

// TestEvaluationTells: every evaluation meets UCT and the network evaluated
// before, and is in events, files, metrics and status.
func TestEvaluationTells(t *testing.T) {
	o := options(t, tiny(t), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	met := map[int][]int{}
	var last *run.Strength
	for _, e := range history {
		if s := e.Strength; s != nil {
			met[e.Iteration] = []int{}
			for _, x := range s.Earlier {
				met[e.Iteration] = append(met[e.Iteration], x.Iteration)
				if x.Games != 18 || x.Rounds != 3 || x.Distinct < 1 || x.Distinct > 3 ||
					x.Opening != 4 || !(math.Abs(x.Difference) <= 1) {
					t.Errorf("iteration %d against %d: %+v", e.Iteration, x.Iteration, x)
				}
			}
			if s.Elo == nil || len(s.Points) != 3 || len(s.Baseline) != 3 {
				t.Errorf("iteration %d: %+v", e.Iteration, s)
			}
			last = s
		}
	}
	if want := map[int][]int{0: {}, 2: {0}, 4: {2}}; !reflect.DeepEqual(met, want) {
		t.Errorf("evaluations met %v, want %v", met, want)
	}
	if got := o.Monitor.Status(); got.Strength == nil || got.Strength.Rating != last.Rating ||
		got.Concurrent != nil {
		t.Errorf("the status tells of %+v, the last event of %+v", got.Strength, last)
	}
	m := o.Metrics
	low, high := last.Bounds()
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"rating", testutil.ToFloat64(m.Rating.Estimate), last.Rating},
		{"low", testutil.ToFloat64(m.Rating.Low), low},
		{"high", testutil.ToFloat64(m.Rating.High), high},
		{"games", testutil.ToFloat64(m.EvaluationGames), 3*9 + 6 + 2*18},
		{"skipped", testutil.ToFloat64(m.SkippedEvaluations), 0},
	} {
		if x.got != x.want {
			t.Errorf("metrics: %s is %v, want %v", x.what, x.got, x.want)
		}
	}
	ratings, err := o.Folder.On(nil).ReadRatings()
	if err != nil || len(ratings.Networks) != 3 || len(ratings.Seats) != 3 ||
		ratings.Games != 3*9+6+2*18 {
		t.Errorf("%v, %+v", err, ratings)
	}
	if got := ratings.Of(4); got == nil || got.Rating != last.Rating {
		t.Errorf("the file of ratings has %+v for the last network, the event %+v", got, last.Elo)
	}
	log, err := o.Folder.On(nil).OpenGameLog(3, 50_000)
	if err != nil || len(log.Games()) != ratings.Games || log.Skipped() != 0 {
		t.Errorf("%v; %d games are logged, %d were rated", err, len(log.Games()), ratings.Games)
	}
	rounds, alone := map[int]int{}, 0
	for _, g := range log.Games() {
		if g.Round != 0 && g.Evaluation == 4 {
			rounds[g.Round]++
		}
		if !slices.Contains(g.Players, run.IterationName(g.Evaluation)) {
			alone++
		}
	}
	if alone != 6 {
		t.Errorf("%d games are without the network evaluated, want UCT's 6", alone)
	}
	for round, n := range rounds {
		if n%6 != 0 || round < 1 || round > 3 {
			t.Errorf("round %d has %d games", round, n)
		}
	}
}

// TestEndsBeside: a run that is interrupted ends its evaluation, leaves no goroutine
// and no half of an evaluation; resumed, it ends as one that was not.
func TestEndsBeside(t *testing.T) {
	root := t.TempDir()
	whole, pieces := filepath.Join(root, "whole"), filepath.Join(root, "pieces")
	if err := Run(context.Background(),
		options(t, tiny(t, "evaluation.every=0"), whole)); err != nil {
		t.Fatal(err)
	}
	ignore := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	endless := beside(tiny(t, "evaluation.games=100000"))
	o := options(t, endless, pieces)
	var asked atomic.Int64
	o.Now = func() time.Time {
		if asked.Add(1) == 40 {
			cancel()
		}
		return time.Now()
	}
	if err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	testkit.NoGoroutines(t, ignore)
	if s := o.Monitor.Status(); s.Concurrent != nil || s.Strength != nil {
		t.Errorf("after the end the status tells of %+v, %+v", s.Concurrent, s.Strength)
	}
	if left, _ := filepath.Glob(filepath.Join(pieces, "eval", "*")); len(left) > 0 {
		t.Errorf("the evaluation left %v", left)
	}
	o = options(t, beside(tiny(t)), pieces)
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	same(t, "interrupted beside an evaluation", whole, pieces)
	if _, err := os.Stat(o.Folder.Evaluation(4)); err != nil {
		t.Error(err)
	}
}

// TestFinalEvaluation: where the last evaluation was not made, a finished run
// that is resumed makes it, and only that; UCT alone is not played again.
func TestFinalEvaluation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := Run(context.Background(), options(t, tiny(t), dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(run.Folder(dir).Evaluation(4)); err != nil {
		t.Fatal(err)
	}
	before, err := run.Folder(dir).On(nil).ReadRatings()
	if err != nil {
		t.Fatal(err)
	}
	for _, games := range []float64{9 + 18, 0} {
		o := options(t, tiny(t), dir)
		o.Resume = true
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if got := testutil.ToFloat64(o.Metrics.EvaluationGames); got != games {
			t.Errorf("%v games were played, want %v", got, games)
		}
		if got := newest(t, dir).Iteration; got != 4 {
			t.Errorf("the run is at iteration %d", got)
		}
	}
	// The same games again change no rating.
	after, err := run.Folder(dir).On(nil).ReadRatings()
	if err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("%v: %+v, before %+v", err, after, before)
	}
}

// TestRetainsForEvaluations: the networks that the next evaluation meets, and the best rated, stay.
func TestRetainsForEvaluations(t *testing.T) {
	o := options(t, tiny(t, "training.iterations=6", "checkpoints.keep_last=1"),
		filepath.Join(t.TempDir(), "run"))
	o.Plan.PerOctave = 0
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	// At the last checkpoint, the last evaluation was still to come.
	log, err := o.Folder.On(nil).OpenGameLog(3, 50_000)
	if err != nil {
		t.Fatal(err)
	}
	ratings, err := evaluation.Rate(o.Plan.Game, baseline.Name(), nil,
		slices.DeleteFunc(log.Games(), func(g run.EvaluationGame) bool {
			return g.Evaluation == 6
		}))
	if err != nil {
		t.Fatal(err)
	}
	best, ok := ratings.Best()
	list, err := checkpoints.List(o.Folder.Checkpoints())
	if err != nil {
		t.Fatal(err)
	}
	var kept []int
	for _, e := range list {
		kept = append(kept, e.Iteration)
	}
	for _, n := range []int{4, 6, best} {
		if !ok || n != 0 && !slices.Contains(kept, n) || len(kept) > 3 {
			t.Errorf("kept are %v; %d is the best", kept, best)
		}
	}
	// A resumed run plays against the network from its checkpoint.
	o = options(t, tiny(t, "training.iterations=7", "checkpoints.keep_last=1",
		"evaluation.every=7"), string(o.Folder))
	o.Resume = true
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if s := o.Monitor.Status().Strength; s == nil || len(s.Earlier) != 1 ||
		s.Earlier[0].Iteration != 6 {
		t.Errorf("after resuming, the evaluation is %+v", s)
	}
}

// TestProcessorsAllowed: what a run does by default follows from the processors that the process
// may use, of which a container may have fewer than the machine.
func TestProcessorsAllowed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 3, 8, 40} {
		runtime.GOMAXPROCS(n)
		p, err := NewPlan(tiny(t, "selfplay.workers=0").Config)
		if err != nil {
			t.Fatal(err)
		}
		if p.Workers != n || p.Beside != (n > 4) {
			t.Errorf("with %d processors: %d workers, evaluations beside %v",
				n, p.Workers, p.Beside)
		}
	}
}

// One game a seat has no interval: JSON has null, and the picture is drawn.
func TestOneGame(t *testing.T) {
	drawing(t)
	o := options(t, tiny(t, "training.iterations=1", "evaluation.games=1"),
		filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	history, err := o.Folder.History()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range history {
		if e.Kind == "warning" {
			t.Error(e.Message)
		}
		if s := e.Strength; s != nil {
			n++
			if len(s.CI) != 3 || !math.IsInf(float64(s.CI[0]), 1) ||
				!math.IsInf(float64(s.SumCI), 1) {
				t.Errorf("intervals are %v, %v", s.CI, s.SumCI)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d evaluations", n)
	}
	if _, err := os.Stat(filepath.Join(string(o.Folder), "eval", "learning.svg")); err != nil {
		t.Error(err)
	}
}
