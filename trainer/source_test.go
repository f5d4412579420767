package trainer

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/metrics"
	"tengen/replay/record"
	"tengen/selfplay"
)

// TestIdleTime: the time is that between the first worker that finds no game and the next game.
func TestIdleTime(t *testing.T) {
	at := time.Unix(1000, 0)
	now := func() time.Time { return at }
	later := func(seconds int) { at = at.Add(time.Duration(seconds) * time.Second) }
	var idle idleTime
	want := func(seconds int, running bool) {
		t.Helper()
		if got := idle.take(now); got != time.Duration(seconds)*time.Second ||
			idle.running() != running {
			t.Errorf("%v, running %v; want %d s, %v", got, idle.running(), seconds, running)
		}
	}
	later(5)
	idle.end(now)
	want(0, false)
	idle.begin(now)
	later(2)
	idle.begin(now) // another worker
	later(1)
	want(3, true)
	later(4)
	idle.end(now)
	later(10)
	idle.end(now)
	idle.begin(now)
	later(1)
	want(5, true)
	idle.end(now)
	want(0, false)
}

// TestSourceGivesAndTakes: which games begin, and how many are taken.
func TestSourceGivesAndTakes(t *testing.T) {
	o := options(t, tiny(t, "warm_start.initial_games=2"), filepath.Join(t.TempDir(), "run"))
	first := &selfplay.Job{Games: []uint64{4, 5}}
	second := &selfplay.Job{Games: []uint64{6}}
	s := &source{r: newRunner(&o), jobs: []*selfplay.Job{{}, first, {}, second}}
	type begun struct {
		number uint64
		job    *selfplay.Job
	}
	for i, want := range []begun{{4, first}, {5, first}, {6, second}, {}, {}} {
		if number, job, more := s.Next(); !more || (begun{number, job}) != want {
			t.Errorf("game %d is %d of %p", i, number, job)
		}
	}
	if !s.idle.running() {
		t.Error("without a game the workers are not idle")
	}

	alone, network := new(selfplay.Job), new(selfplay.Job)
	s = &source{
		r: s.r, lag: unbounded, jobs: []*selfplay.Job{alone, network}, streams: 1, room: 3,
		ready: []*record.Game{{Number: 0}}, ahead: 1, // one on disk
	}
	for i, want := range []begun{{1, alone}, {2, network}, {}} {
		if number, job, more := s.Next(); !more || (begun{number, job}) != want {
			t.Errorf("stream %d is %d of %p", i, number, job)
		}
	}
	if s.begun() != 3 || s.ahead != 3 {
		t.Errorf("%d games are begun, %d not taken", s.begun(), s.ahead)
	}
	s.closed = true
	if _, _, more := s.Next(); more {
		t.Error("more games begin after the end")
	}

	s = &source{r: s.r, lag: 1, ahead: 5}
	for n := range uint64(5) {
		s.ready = append(s.ready, &record.Game{Number: n})
	}
	var taken []uint64
	for _, c := range []struct{ least, most, want int }{
		{6, 9, 0}, {2, 2, 2}, {4, 9, 0}, {0, 0, 0}, {1, 1, 1}, {2, 9, 2}, {0, 9, 0}, {1, 9, 0},
	} {
		games := s.taken(c.least, c.most)
		for _, g := range games {
			taken = append(taken, g.Number)
		}
		if len(games) != c.want || len(taken)+len(s.ready) != 5 || s.ahead != len(s.ready) {
			t.Errorf("%d to %d: %d games are taken, %d are left",
				c.least, c.most, len(games), s.ahead)
		}
	}
	if s.waitOf() != commitEvery {
		t.Error("games of a pipelined cycle are committed in haste")
	}
	s.lag = unbounded
	if s.taken(1, 9); s.waitOf() != commitWanted {
		t.Error("the run waits for a game, which is not committed at once")
	}
	s.ready = []*record.Game{{Number: 5}}
	if s.taken(1, 9); s.waitOf() != commitEvery {
		t.Error("the run has a game, and the next ones are committed in haste")
	}
	if !slices.Equal(taken, []uint64{0, 1, 2, 3, 4}) {
		t.Errorf("games %v are taken", taken)
	}
	s.place.number, s.r.state.Games = 12, 9
	if s.there() != 3 {
		t.Errorf("%d games are there", s.there())
	}
}

// TestCommitsOfIterations: an iteration that takes no time makes its games durable with one fsync,
// and a segment its name with another.
func TestCommitsOfIterations(t *testing.T) {
	for _, cycle := range []string{"synchronous", "pipelined"} {
		p := faultPlan(t, "training.cycle="+cycle, "training.iterations=6", "replay.games=800")
		w := newWitness()
		o := Options{
			Plan: p, Folder: "run", FS: w.Faulty, Monitor: new(Monitor), Metrics: metrics.New(nil),
			Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return time.Unix(1_000_000, 0) },
		}
		if err := Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		files, folder := 0, 0
		for _, op := range w.Log() {
			if strings.HasPrefix(op, "sync run/replay/") {
				files++
			}
			if op == "syncdir run/replay" {
				folder++
			}
		}
		if files != 6 || folder != 1 {
			t.Errorf("%s: %d fsyncs of segments and %d of their folder", cycle, files, folder)
		}
	}
}
