package trainer

import (
	"fmt"
	"runtime"
	"testing"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/replay/record"
	"tengen/selfplay"
	"tengen/trainer/learn"
)

// BenchmarkSelfPlayBesideWindow plays games of quick beside windows of several sizes: the processor
// time of a game, the garbage collector's included, should not depend on them.
func BenchmarkSelfPlayBesideWindow(b *testing.B) {
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{
		"replay.games=1000000", "replay.held_out=0", "selfplay.workers=1",
	}})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		b.Fatal(err)
	}
	play := func(n int, emit func(*record.Game) error) {
		job := selfplay.Job{Weights: &noWeights{p.Spec}, NewEvaluator: newFree}
		for i := range n {
			job.Games = append(job.Games, uint64(i))
		}
		if err := selfplay.Play(b.Context(), &p.Play, job, p.Workers, p.GamesPerWorker(),
			new(selfplay.Counters), emit); err != nil {
			b.Fatal(err)
		}
	}
	var sample []*record.Game
	play(20, func(g *record.Game) error { sample = append(sample, g); return nil })
	u, err := newUpdater(p, p.NewParams())
	if err != nil {
		b.Fatal(err)
	}
	defer u.Close()
	const games = 64
	for _, n := range []int{1_000, 50_000, 500_000} {
		b.Run(fmt.Sprintf("games=%d", n), func(b *testing.B) {
			fill(b, u, sample, n)
			began := machine.CPUTime()
			for b.Loop() {
				play(games, forget)
			}
			b.ReportMetric(float64((machine.CPUTime()-began).Microseconds())/
				float64(games*b.N), "cpu-µs/game")
		})
		runtime.KeepAlive(u)
	}
}

// fill adds games like those of a sample to the window until it holds so many.
func fill(b *testing.B, u *learn.Updater, sample []*record.Game, games int) {
	b.Helper()
	for n := u.Window.Len(); n < games; n++ {
		g := *sample[n%len(sample)]
		g.Number = uint64(n)
		if err := u.Window.Add(&g); err != nil {
			b.Fatal(err)
		}
	}
}
