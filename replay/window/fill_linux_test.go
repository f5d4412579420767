package window

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/replay/record"
)

// BenchmarkFill fills a window with 500,000 games of 80 plies that were checked before. It prints
// what the process has resident, all of it, what of the window the collector counts, and what the
// rows of an update of 10 batches of 256 take of the processor, beside that and in a window of
// 1,000 games.
func BenchmarkFill(b *testing.B) {
	g, games := searched(b, 1000)
	var packed []*record.Packed
	for _, rec := range games {
		// A game of as many plies: its rules don't matter here.
		if rec.Moves = rec.Moves[:min(80, len(rec.Moves))]; len(rec.Moves) == 80 {
			packed = append(packed, opened(b, rec))
		}
	}
	const n = 500_000
	for b.Loop() {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w, err := New(g, Config{Capacity: n})
		if err != nil {
			b.Fatal(err)
		}
		for i := range n {
			p := *packed[i%len(packed)]
			p.Number = uint64(i)
			if err := w.AddChecked(&p); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(resident(b)/1e9, "GB-resident")
		runtime.GC()
		runtime.ReadMemStats(&after)
		bytes := 0
		for i := range w.entries {
			bytes += int(w.entries[i].place.size)
		}
		b.ReportMetric(float64(bytes)/n/80, "B/ply")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-heap")
		small := unchecked(b, g, Config{}, games...)
		b.ReportMetric(rowsTime(b, w).Seconds()*1e6/2560, "µs/row")
		b.ReportMetric(rowsTime(b, small).Seconds()*1e6/2560, "µs/row-of-1000")
		w.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/game")
}

// rowsTime returns the processor's time for 2,560 rows, the least of 20 tries.
func rowsTime(b *testing.B, w *Window) time.Duration {
	e, rng := encoderOf(b, w), random.New(14, random.Test)
	g := e.replay.Game
	obs, policy, value := make([]float32, g.Planes().Size()), make([]float32, g.Actions()),
		make([]float32, g.Players())
	var weight float32
	least := time.Hour
	for range 20 {
		began := processorTime(b)
		for range 2560 {
			s := w.At(false, rng.IntN(w.Positions(false)))
			if err := e.Row(s, rng.IntN(8), obs, policy, &weight, value); err != nil {
				b.Fatal(err)
			}
		}
		least = min(least, processorTime(b)-began)
	}
	return least
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident returns the bytes of the process in memory.
func resident(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize())
}
