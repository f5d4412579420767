package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/replay/record"
	"tengen/run/inspect"
)

func asynchronous(t *testing.T, set ...string) *Plan {
	return tiny(t, append([]string{
		"training.cycle=asynchronous", "evaluation.every=0", "checkpoints.keep_last=100",
		"selfplay.workers=2",
	}, set...)...)
}

func checkRun(t *testing.T, o Options) *State {
	t.Helper()
	c := newest(t, string(o.Folder))
	s := new(State)
	if err := json.Unmarshal(c.State, s); err != nil {
		t.Fatal(err)
	}
	if err := inspect.VerifyAsynchronous(o.Plan.Config, games(t, string(o.Folder)), c); err != nil {
		t.Error(err)
	}
	return s
}

// TestAsynchronous: runs of both algorithms learn from every game once.
func TestAsynchronous(t *testing.T) {
	t.Parallel()
	for name, set := range map[string][]string{
		"belief": {"game=turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20,history=2",
			"training.belief_weight=0.1", "search.belief=4"},
		"descent": {"selfplay.workers=3", "algorithm=descent", "descent.iterations=2",
			"descent.explore_end=0.9", "warm_start.initial_epochs=0"},
		"targets": targets,
	} {
		if testing.Short() && name == "targets" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			o := options(t, asynchronous(t, set...), filepath.Join(t.TempDir(), "run"))
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			s := checkRun(t, o)
			c := o.Plan.Config
			if want := c.WarmStart.InitialGames + 4*12; s.Games != want || s.Iteration != 4 {
				t.Errorf("%d games in %d iterations, want %d in 4", s.Games, s.Iteration, want)
			}
			uct, later := 0, 0
			for _, g := range games(t, string(o.Folder))[:s.Games] {
				alone := true
				for _, seat := range g.Seats {
					alone = alone && seat.Kind == record.UCT
					if seat.Kind == record.Network && seat.Step > 0 {
						later++
					}
				}
				if alone {
					uct++
				}
			}
			if uct < c.WarmStart.InitialGames || later == 0 {
				t.Errorf("UCT alone plays %d games; %d seats have a later network", uct, later)
			}
			last := o.Monitor.Status().Last
			if !(last.Reuse > 0) || !(last.Losses.Total > 0) || last.HeldOut == nil {
				t.Errorf("the progress of the last iteration: %+v", last)
			}
			if rate := last.Losses.LearningRate; name != "targets" && rate > 1e-5 {
				t.Errorf("the learning rate ends at %g: a cosine falls to almost nothing", rate)
			}
		})
	}
}

// TestAsynchronousResumes: a run that is interrupted again and again loses no game and learns from
// none twice.
func TestAsynchronousResumes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	processes := 0
	for done := false; !done; processes++ {
		if processes > 100 {
			t.Fatal("the run does not end")
		}
		o := options(t, asynchronous(t), dir)
		var before []*record.Game
		if o.Resume = processes > 0; o.Resume {
			before = games(t, dir)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var asked atomic.Int64
		o.Now = func() time.Time {
			if asked.Add(1) == int64(8+4*processes) {
				cancel()
			}
			return time.Now()
		}
		err := Run(ctx, o)
		cancel()
		if done = err == nil; !done && !errors.Is(err, context.Canceled) {
			t.Fatalf("process %d: %v", processes, err)
		}
		after := games(t, dir)
		if len(after) < len(before) || !sameGames(before, after[:len(before)]) {
			t.Fatalf("process %d changed or lost games that were there", processes)
		}
		if done {
			checkRun(t, o)
		}
	}
	if processes < 5 {
		t.Fatalf("the run ended in %d processes: it was hardly interrupted", processes)
	}
}

func sameGames(a, b []*record.Game) bool {
	var x, y []byte
	for i := range a {
		x, _ = record.AppendEncoded(x[:0], a[i])
		y, _ = record.AppendEncoded(y[:0], b[i])
		if string(x) != string(y) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestGamesWaitForTraining: while the network learns, no more games begin than may be ahead; and
// the time is told.
func TestGamesWaitForTraining(t *testing.T) {
	t.Parallel()
	o := options(t, asynchronous(t, "training.games=4", "warm_start.initial_games=0",
		"warm_start.initial_epochs=0", "training.iterations=3", "selfplay.workers=1",
		"selfplay.games_per_worker=2"), filepath.Join(t.TempDir(), "run"))
	r := newRunner(&o)
	lock, err := r.folder.Lock("test")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := r.open(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	defer r.updater.Close()
	defer r.events.Close()
	r.observeStart()
	r.playing, err = r.updater.Weights()
	if err != nil {
		t.Fatal(err)
	}
	r.source = r.newSource()
	if err := r.source.start(t.Context(), r.playing, nil); err != nil {
		t.Fatal(err)
	}
	defer r.source.close()
	r.updater.OnStep = func(int, int, time.Duration) {
		for i := 0; i < 12_000; i++ { // until games wait
			r.source.mu.Lock()
			waits := r.source.idle.running()
			r.source.mu.Unlock()
			if waits {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		r.source.mu.Lock()
		defer r.source.mu.Unlock()
		if n := len(r.source.ready); n > 4+2 {
			t.Errorf("%d games are finished and not learned from; 4 and those that 2 play may be",
				n)
		}
	}
	for range 3 {
		if err := r.iterate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if r.monitor.Status().Last.SelfPlayWaited == 0 {
		t.Error("games have waited, which is not told")
	}
}

// TestAsynchronousSurvivesEveryFault: whatever operation fails, and whatever becomes of the machine
// then, no game that was kept is lost, and each is learned from once.
func TestAsynchronousSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	testFaults(t, faultPlan(t, "training.cycle=asynchronous", "training.iterations=3",
		"checkpoints.keep_last=100",
		"warm_start.initial_epochs=0"))
}

// TestVerifyAsynchronous: what is wrong with a run is found.
func TestVerifyAsynchronous(t *testing.T) {
	o := options(t, asynchronous(t, "warm_start.initial_games=0", "warm_start.initial_epochs=0",
		"training.iterations=2"), filepath.Join(t.TempDir(), "run"))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	for want, damage := range map[string]func(games []*record.Game, s *State) []*record.Game{
		"game 6 is in the place of game 5": func(g []*record.Game, _ *State) []*record.Game {
			return slices.Delete(g, 5, 6)
		},
		"have the same random streams": func(g []*record.Game, _ *State) []*record.Game {
			g[7].Stream = g[3].Stream
			return g
		},
		"of which 3 are there": func(g []*record.Game, _ *State) []*record.Game {
			return g[:3]
		},
		"games in its window": func(g []*record.Game, s *State) []*record.Game {
			s.Window.Games--
			return g
		},
		"are used at checkpoint 2": func(g []*record.Game, s *State) []*record.Game {
			s.Asynchronous.Streams = 4
			return g
		},
		"checkpoint 2 is of another cycle": func(g []*record.Game, s *State) []*record.Game {
			s.Asynchronous = nil
			return g
		},
		"game 2 is of another cycle": func(g []*record.Game, _ *State) []*record.Game {
			g[2].EndOrder = false
			return g
		},
	} {
		c := newest(t, string(o.Folder))
		var s State
		if err := json.Unmarshal(c.State, &s); err != nil {
			t.Fatal(err)
		}
		list := damage(games(t, string(o.Folder)), &s)
		c.State = mustJSON(t, s)
		if err := inspect.VerifyAsynchronous(o.Plan.Config, list, c); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

// TestAsynchronousDrops: updates in which numbers are no longer finite are dropped; the third ends
// the run.
func TestAsynchronousDrops(t *testing.T) {
	t.Parallel()
	o := options(t, asynchronous(t, append(wild, "warm_start.initial_epochs=0")...),
		filepath.Join(t.TempDir(), "run"))
	err := Run(context.Background(), o)
	if err == nil || !strings.Contains(err.Error(), "iteration 3 ") ||
		!strings.Contains(err.Error(), "step ") {
		t.Fatalf("nothing went wrong: %v", err)
	}
	if list := warnings(t, o); len(list) != 2 {
		t.Errorf("warnings %+v, want one for each of two dropped updates", list)
	}
	c := newest(t, string(o.Folder))
	if c.Iteration != 2 || c.Step != 0 ||
		!reflect.DeepEqual(c.Params.Tensors, o.Plan.NewParams().Tensors) {
		t.Errorf(
			"the checkpoint is of iteration %d, step %d; want the first weights after 2 iterations",
			c.Iteration, c.Step)
	}
}

// TestAsynchronousOnALostDevice: the loss of the device, in a step or in a game, ends the run with
// its error.
func TestAsynchronousOnALostDevice(t *testing.T) {
	t.Parallel()
	for name, device := range map[string]*fake.Device{
		"self-play": {LostAfterBatches: 300}, "a step": {LostAtStep: 3},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := runOn(t, device, dir, false, "training.cycle=asynchronous", "evaluation.every=0")
		if !backend.Lost(err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("lost in %s: %v", name, err)
		}
		if n := device.Open(); n != 0 {
			t.Errorf("lost in %s: %d evaluators and trainers are left open", name, n)
		}
	}
}
