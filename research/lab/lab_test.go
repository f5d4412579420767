package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/arena"
	"tengen/configs"
	_ "tengen/game/all"
	"tengen/player"
	"tengen/research"
	"tengen/run"
	"tengen/trainer"
)

// tiny is a lab of seconds.
const tiny = `title: a tiny lab
base: quick
set:
  game: tictactoe
  network: {blocks: 1, filters: 4, hidden: 4}
  search: {root: puct, simulations: 4}
  warm_start: {schedule: none, initial_games: 0}
  training: {evaluations: 1500, games: 15, batch: 16, max_steps: 4, warmup_steps: 2}
  replay.games: 60
  evaluation.every: 0
seeds: 2
arms:
  - name: puct
  - name: gumbel
    set: {search.root: gumbel}
match: {games: 6, simulations: 4}
against:
  - player: uct:simulations=4
    games: 4
`

// childDir is the variable with which the test runs itself as a process that runs the lab tiny in a
// folder, for others to kill.
const childDir = "TENGEN_LAB_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if _, err := runIn(context.Background(), tiny, dir, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// parse returns the lab of a text.
func parse(text string) (*Lab, error) {
	f, err := Parse("lab.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return New(f, research.Device{})
}

// runIn runs the lab of a text in a folder.
func runIn(ctx context.Context, text, dir string, set func(*Options)) (*Result, error) {
	l, err := parse(text)
	if err != nil {
		return nil, err
	}
	o := Options{Dir: dir, Parallel: 1, Cores: 1, Log: slog.New(slog.DiscardHandler)}
	if set != nil {
		set(&o)
	}
	return l.Run(ctx, o)
}

// timeless returns a result as JSON, without what depends on the clock.
func timeless(t *testing.T, r *Result) string {
	t.Helper()
	for i := range r.Arms {
		for k := range r.Arms[i].Runs {
			r.Arms[i].Runs[k].Seconds = 0
		}
	}
	data, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// trained counts the runs that a log says were trained, and that were resumed.
type trained struct {
	slog.Handler
	begun, resumed int
}

func (h *trained) Enabled(context.Context, slog.Level) bool { return true }
func (h *trained) Handle(_ context.Context, r slog.Record) error {
	switch r.Message {
	case "training":
		h.begun++
	case "training goes on":
		h.resumed++
	}
	return nil
}
func (h *trained) WithAttrs([]slog.Attr) slog.Handler { return h }

// counting returns options that count runs and games.
func counting(log *trained, games *int) func(*Options) {
	return func(o *Options) {
		log.Handler = slog.DiscardHandler
		o.Log = slog.New(log)
		last := ""
		before := 0
		o.Progress = func(what, unit string, done, all int) {
			if unit != "games" {
				return
			}
			if what != last {
				last, before = what, 0
			}
			*games += done - before
			before = done
		}
	}
}

// TestRun: a lab trains all arms to the same evaluations and plays all matches; called again it
// does nothing; with more games, seeds or arms it does what is missing; side by side it finds the
// same.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var log trained
	games := 0
	calls := 0
	first, err := runIn(t.Context(), tiny, dir, func(o *Options) {
		counting(&log, &games)(o)
		o.Finished = func(r *Result) error {
			if calls++; r.RunsTrained+r.MatchesPlayed != calls {
				t.Errorf("call %d is about %d runs and %d matches",
					calls, r.RunsTrained, r.MatchesPlayed)
			}
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if log.begun != 4 || games != 4*6+4*4 || calls != 4+4+4 {
		t.Errorf("%d runs and %d games were made in %d pieces; want 4, 40 and 12",
			log.begun, games, calls)
	}
	for _, a := range first.Arms {
		if len(a.Runs) != 2 {
			t.Fatalf("%+v", a)
		}
		for _, r := range a.Runs {
			if r.Asked < 1500 || r.Asked > 2500 || r.Iterations < 2 ||
				r.HeldOut == nil && r.Losses.Total == 0 {
				t.Errorf("%s: %+v", a.Name, r)
			}
		}
	}
	d := first.Arms[1].Elo
	if first.Arms[0].Elo != nil || d == nil || d.Low == nil || d.Networks != 2 ||
		len(first.Alone) != 1 || first.Alone[0].Arms[1].Difference == nil {
		t.Errorf("%+v, %+v", d, first.Alone)
	}
	again := func(what, text string, runs, played int) *Result {
		t.Helper()
		log, games = trained{}, 0
		r, err := runIn(t.Context(), text, dir, counting(&log, &games))
		if err != nil {
			t.Fatal(err)
		}
		if log.begun != runs || log.resumed != 0 || games != played {
			t.Errorf("%s: %d runs and %d games; want %d and %d",
				what, log.begun, games, runs, played)
		}
		return r
	}
	if diff := cmp.Diff(timeless(t, first), timeless(t, again("again", tiny, 0, 0))); diff != "" {
		t.Error(diff)
	}
	again("more games", strings.Replace(tiny, "{games: 6", "{games: 10", 1), 0, 4*4)
	changed := strings.Replace(tiny, "search.root: gumbel",
		"search.root: gumbel, search.considered: 3", 1)
	again("a changed arm", changed, 2, 4*6+2*4)
	again("changed back", tiny, 0, 0)
	again("workers",
		strings.Replace(tiny, "  replay.games",
			"  selfplay.games_per_worker: 3\n  replay.games", 1), 0, 0)
	again("other simulations",
		strings.Replace(tiny, "games: 6, simulations: 4}", "games: 6, simulations: 5}",
			1), 0, 4*6+4*4)
	again("a third arm",
		strings.Replace(tiny, "match:", "  - name: wide\n    set: {network.filters: 6}\nmatch:",
			1), 2, 4*6+2*4)
	again("a third seed", strings.Replace(tiny, "seeds: 2", "seeds: 3", 1), 2, 5*6+2*4)

	beside, err := runIn(t.Context(), tiny, t.TempDir(), func(o *Options) {
		o.Parallel, o.Cores = 2, 4
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(t, first), timeless(t, beside)); diff != "" {
		t.Errorf("side by side: %s", diff)
	}
}

// TestKilled: a lab whose process is killed at random moments, again and again, ends as one that
// was not interrupted.
func TestKilled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	kills, waited := 0, 100*time.Millisecond
	for ended := false; !ended; {
		if kills > 200 {
			t.Fatal("the lab does not end")
		}
		ctx, cancel := context.WithTimeout(t.Context(),
			time.Duration(rng.Int64N(int64(waited)))+50*time.Millisecond)
		child := exec.CommandContext(ctx, self) // killed when its time is up
		child.Env = append(os.Environ(), childDir+"="+dir)
		var said bytes.Buffer
		child.Stderr = &said
		err := child.Run()
		killed := ctx.Err() != nil
		cancel()
		switch {
		case err == nil:
			ended = true
		case killed:
			kills++
			waited += waited / 10 // a busy machine may do nothing in a short time
		default:
			t.Fatalf("after %d kills: %v: %s", kills, err, said.String())
		}
	}
	t.Logf("%d kills", kills)
	got, err := runIn(t.Context(), tiny, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := runIn(t.Context(), tiny, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(t, want), timeless(t, got)); diff != "" {
		t.Errorf("%d kills: %s", kills, diff)
	}
}

// TestInterrupted: a lab whose context ends returns what it has found, whenever that is, and goes
// on.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for after := 0; ; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		r, err := runIn(ctx, tiny, dir, func(o *Options) {
			if after == 0 {
				cancel()
			}
			o.Finished = func(*Result) error {
				if calls++; calls == 1+after%3 {
					cancel()
				}
				return nil
			}
		})
		cancel()
		if r == nil {
			t.Fatal(err)
		}
		pieces := r.RunsTrained + r.MatchesPlayed
		if err == nil {
			if pieces != 12 || after < 4 {
				t.Errorf("%d pieces after %d interruptions", pieces, after)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || pieces == 12 {
			t.Fatalf("%d pieces: %v", pieces, err)
		}
		if text := r.Markdown(Part, "lab"); !strings.Contains(text,
			fmt.Sprintf("%d of 4 runs are trained, %d of 8 matches played",
				r.RunsTrained, r.MatchesPlayed)) {
			t.Errorf("the page does not say what is missing:\n%s", text)
		}
	}
}

// TestTodo: what is to do is counted without doing anything.
func TestTodo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	l, err := parse(tiny)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, Parallel: 1, Cores: 1, Log: slog.New(slog.DiscardHandler)}
	todo, err := l.Todo(t.Context(), o, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if exists(dir) || todo.Matches != 8 || todo.Games != 40 || todo.Arms[1].Missing != 2 ||
		todo.Arms[1].Seconds <= 0 || todo.TrainSeconds <= 0 {
		t.Errorf("%+v", todo)
	}
	if _, err := l.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	todo, err = l.Todo(t.Context(), o, 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if todo.Matches != 0 || todo.Games != 0 || todo.Arms[0].Trained != 2 ||
		todo.TrainSeconds != 0 || todo.MatchSeconds != 0 {
		t.Errorf("%+v", todo)
	}
	var text strings.Builder
	if err := todo.WriteText(&text); err != nil ||
		!strings.Contains(text.String(), "0 matches with 0 games") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestInUse: two labs can't share a folder at once.
func TestInUse(t *testing.T) {
	dir := t.TempDir()
	_, err := runIn(t.Context(), tiny, dir, func(o *Options) {
		o.Finished = func(*Result) error {
			_, err := runIn(t.Context(), tiny, dir, nil)
			if err == nil || !strings.Contains(err.Error(), "in use") {
				t.Errorf("a second lab in the folder: %v", err)
			}
			return errors.New("seen")
		}
	})
	if err == nil || !strings.Contains(err.Error(), "seen") {
		t.Error(err)
	}
}

// TestSearchOfMatches: networks play with the first arm's search, or with their own if the file
// says so.
func TestSearchOfMatches(t *testing.T) {
	for search, want := range map[string]struct {
		gumbel bool
		name   string
	}{
		"first": {false, "gumbel-1, 4 simulations, search of puct"},
		"own":   {true, "gumbel-1, 4 simulations"},
	} {
		l, err := parse(strings.Replace(tiny, "match: {", "match: {search: "+search+", ", 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"puct-1, 4 simulations", want.name} {
			p, err := l.Arms[i].plan(1, 1, research.Device{})
			if err != nil {
				t.Fatal(err)
			}
			got := l.player(&network{
				Trained: &research.Trained{Plan: p}, folder: run.Folder(l.Arms[i].Name + "-1"),
			}).(*player.AlphaZero)
			if got.PUCT.Gumbel.On() != (want.gumbel && i == 1) ||
				!strings.HasPrefix(got.Name(), "az:"+strconv.Quote(name)+",simulations") {
				t.Errorf("search: %s: arm %d is called %q and has Gumbel=%v",
					search, i, got.Name(), got.PUCT.Gumbel.On())
			}
			if p.Config.Search.Root != l.Arms[i].Config.Search.Root {
				t.Errorf("search: %s: the plan of arm %d has changed", search, i)
			}
		}
	}
}

// TestContestants: the players of a lab's matches, as others make them from what they are told, are
// those of the lab.
func TestContestants(t *testing.T) {
	for _, search := range []string{"first", "own"} {
		l, err := parse(strings.Replace(tiny, "match: {", "match: {search: "+search+", ", 1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Arms {
			plan, err := l.Arms[i].plan(1, 1, research.Device{})
			if err != nil {
				t.Fatal(err)
			}
			params := plan.NewParams()
			weights, err := plan.Load(params)
			if err != nil {
				t.Fatal(err)
			}
			n := newNetwork(run.Folder("x-1"), &research.Trained{
				Plan: plan, Params: params, Weights: weights,
			})
			c, err := l.contestant(n)
			if err != nil {
				t.Fatal(err)
			}
			read, err := configs.Resolve(configs.Options{Name: "a worker", Text: []byte(c.Config)})
			if err != nil {
				t.Fatal(err)
			}
			there, err := trainer.NewPlan(&read.Config)
			if err != nil {
				t.Fatal(err)
			}
			want := *l.player(n).(*player.AlphaZero)
			got := *there.SelfPlayer("", weights, c.Simulations).(*player.AlphaZero)
			want.Label = ""
			if !reflect.DeepEqual(got, want) || c.Params != params ||
				c.Simulations != l.Simulations {
				t.Errorf("match.search %s, arm %s: %+v there, %+v here",
					search, l.Arms[i].Name, got, want)
			}
		}
		if c, err := l.opponents[0].contestant(l.Game); err != nil ||
			c != (arena.Contestant{Player: "uct:simulations=4"}) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
