package trainer

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"tengen/configs"
	"tengen/internal/machine"
	"tengen/metrics"
	"tengen/run"
	"tengen/run/runtest"
)

// BenchmarkLongRun trains on tic-tac-toe for 31,000 iterations of few milliseconds: the processor
// time of an iteration, checkpoints and evaluations included, and what the heap holds after a
// collection should be at the end what they were at the beginning. Once is enough (-benchtime 1x).
func BenchmarkLongRun(b *testing.B) {
	for _, cycle := range []string{"synchronous", "pipelined", "asynchronous"} {
		b.Run(cycle, func(b *testing.B) {
			for b.Loop() {
				longRun(b, cycle)
			}
		})
	}
}

func longRun(b *testing.B, cycle string) {
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{
		"game=tictactoe", "network.blocks=0", "network.filters=8", "search.simulations=4",
		"warm_start.schedule=none", "warm_start.initial_games=0", "training.iterations=32000",
		"training.games=4", "training.max_steps=4", "training.batch=16", "replay.games=200",
		"evaluation.every=1000", "evaluation.games=2", "selfplay.workers=1",
		"training.cycle=" + cycle, "metrics.address=",
	}})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	o := Options{
		Plan: p, Folder: run.Folder(b.TempDir() + "/run"), FS: runtest.Unsynced{},
		Monitor: new(Monitor), Metrics: metrics.New(nil), Now: time.Now,
	}
	type moment struct {
		cpu  time.Duration
		heap uint64
	}
	at := map[int]moment{}
	o.Log = slog.New(told(func(message string) {
		i := o.Monitor.Status().Iteration + 1 // the line comes before
		if message != "iteration" || i != 2000 && i != 5000 && i != 28_000 && i != 31_000 {
			return
		}
		cpu := machine.CPUTime()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		at[i] = moment{cpu, m.HeapAlloc}
		if i == 31_000 {
			cancel()
		}
	}))
	if err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	early := (at[5000].cpu - at[2000].cpu).Seconds() / 3
	late := (at[31_000].cpu - at[28_000].cpu).Seconds() / 3
	b.ReportMetric(early, "early-ms/iteration")
	b.ReportMetric(late, "late-ms/iteration")
	b.ReportMetric(late/early, "late/early")
	b.ReportMetric(float64(at[5000].heap)/(1<<20), "early-heap-MiB")
	b.ReportMetric(float64(at[31_000].heap)/(1<<20), "late-heap-MiB")
}
