package trainer

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/runtest"
)

// BenchmarkResume measures how long a resumed run takes until its window of games of three-player
// 5×5 Go is full again, of about 80 plies each, and the processor time of it.
func BenchmarkResume(b *testing.B) {
	for _, games := range []int{5_000, 50_000, 500_000} {
		b.Run(fmt.Sprint(games), func(b *testing.B) { benchmarkResume(b, games) })
	}
}

func benchmarkResume(b *testing.B, games int) {
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{
		"game=go:size=5,players=3", "metrics.address=", fmt.Sprintf("replay.games=%d", games),
	}})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		b.Fatal(err)
	}
	dir := run.Folder(filepath.Join(b.TempDir(), "run"))
	const id = 7
	log, err := replay.OpenLog(runtest.Unsynced{}, dir.Replay(), segmentGames(games))
	if err != nil {
		b.Fatal(err)
	}
	log.Run = id
	var some []*record.Game
	plies := 0
	for rng := random.New(1, random.Test); len(some) < 50; {
		g := runtest.RandomGame(p.Game, rng)
		if n := len(g.Moves); n >= 70 && n <= 90 {
			g.Seed = r.Config.Seed
			some = append(some, g)
			plies += n
		}
	}
	for n := range games {
		g := some[n%len(some)]
		g.Number = uint64(n)
		if err := log.Append(g); err != nil {
			b.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		b.Fatal(err)
	}
	o := Options{
		Plan: p, Folder: dir, FS: runtest.Unsynced{}, Monitor: new(Monitor),
		Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	runtime.GC()
	b.ResetTimer()
	var processor time.Duration
	for range b.N {
		b.StopTimer()
		r := newRunner(&o)
		r.folder.Run = id
		r.state = State{Iteration: 1, Games: games}
		if r.updater, err = newUpdater(p, p.NewParams()); err != nil {
			b.Fatal(err)
		}
		before := machine.CPUTime()
		b.StartTimer()
		if err := r.restoreWindow(); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		processor += machine.CPUTime() - before
		if got := r.updater.Window.Len(); got != games {
			b.Fatalf("%d games in the window", got)
		}
		r.updater.Close()
		b.StartTimer()
	}
	b.ReportMetric(processor.Seconds()/float64(b.N), "processor-s/op")
	b.ReportMetric(float64(plies)/float64(len(some)), "plies/game")
}
