package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tengen/configs"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/vfs/vfstest"
)

// flatCost is what a part of a run costs, in what does not depend on the machine's speed.
type flatCost struct {
	vfstest.Counts
	Allocations, Allocated int64 // of memory, in bytes
}

// TestFlatIterations: what an iteration with its checkpoint costs depends neither on the number of
// iterations before, nor on the size of the window.
func TestFlatIterations(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about costs rather than goroutines")
	}
	small := growable(t)
	for _, cycle := range []configs.Cycle{
		configs.CycleSynchronous, configs.CyclePipelined, configs.CycleAsynchronous,
	} {
		t.Run(string(cycle), func(t *testing.T) {
			cost := func(iterations, games int) flatCost {
				at := flatCosts(t, small, cycle, 14, 1000, iterations, games)
				return at[len(at)-1].since(at[len(at)-11])
			}
			checkFlat(t, cost(400, 200), cost(6400, 3200))
		})
	}
}

// TestFlatEvaluation: what an evaluation costs, its picture included, does not depend on the number
// of iterations before, once there are as many ratings as are kept; but for the first of a process,
// which reads what to draw.
func TestFlatEvaluation(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about costs rather than goroutines")
	}
	drawing(t)
	small := growable(t)
	cost := func(iterations int) flatCost {
		at := flatCosts(t, small, configs.CycleSynchronous, 5, 2, iterations, 200)
		return at[4].since(at[3])
	}
	checkFlat(t, cost(2000), cost(32_000))
}

// growable trains a run to grow.
func growable(t *testing.T) string {
	small := filepath.Join(t.TempDir(), "small")
	if err := Run(t.Context(), options(t, tiny(t, "replay.held_out=0"), small)); err != nil {
		t.Fatal(err)
	}
	return small
}

// flatCosts grows a run to a number of iterations and a window, resumes it for some more, and
// returns what it had cost at the end of each. A network is evaluated when their number is a
// multiple of every.
func flatCosts(
	t *testing.T, small string, cycle configs.Cycle, more, every, iterations, games int,
) (at []flatCost) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), fmt.Sprint(iterations))
	const each = 4 // games
	if err := runtest.GrowFolder(t.Context(), run.Folder(small), run.Folder(dir), runtest.Growth{
		Iterations: iterations, Games: games,
		Change: func(c *configs.Config) { c.Training.Cycle, c.Training.Games = cycle, each },
	}); err != nil {
		t.Fatal(err)
	}
	o := options(t, tiny(t, "training.cycle="+string(cycle), "replay.held_out=0",
		fmt.Sprintf("training.games=%d", each), fmt.Sprintf("replay.games=%d", games),
		fmt.Sprintf("training.iterations=%d", 2*iterations),
		fmt.Sprintf("evaluation.every=%d", every)), dir)
	files := &vfstest.Counting{FS: runtest.Unsynced{}}
	o.Resume, o.FS = true, files
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Log = slog.New(told(func(message string) {
		switch {
		case message == "iteration":
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			at = append(at, flatCost{files.Counts(), int64(m.Mallocs), int64(m.TotalAlloc)})
			if len(at) == more {
				cancel()
			}
		case strings.Contains(message, "can't be read"), strings.Contains(message, "passed over"):
			t.Error(message)
		}
	}))
	if err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// A run that lacks games would cost less.
	if got := o.Monitor.Status().Last.Window; len(at) != more || got != games {
		t.Fatalf("%d iterations were made, not %d, with %d games in the window, not %d",
			len(at), more, got, games)
	}
	return at
}

func (c flatCost) since(before flatCost) flatCost {
	return flatCost{
		c.Since(before.Counts), c.Allocations - before.Allocations, c.Allocated - before.Allocated,
	}
}

// checkFlat checks that a part of a long run costs as much as that of a short one.
func checkFlat(t *testing.T, short, long flatCost) {
	t.Helper()
	t.Logf("\n%+v\n%+v", short, long)
	if short.Operations == 0 || short.Written == 0 || short.Allocations == 0 {
		t.Error("nothing was counted")
	}
	for _, x := range []struct {
		what        string
		short, long int64
	}{
		{"operations on files", short.Operations, long.Operations},
		{"entries of folders", short.Entries, long.Entries},
		{"bytes read", short.Read, long.Read},
		{"bytes written", short.Written, long.Written},
		{"allocations", short.Allocations, long.Allocations},
		{"bytes allocated", short.Allocated, long.Allocated},
	} {
		ratio := float64(x.long) / float64(max(1, x.short))
		if ratio > 1.1 {
			t.Errorf("%d %s, but %d in a run of a sixteenth of the length: %.2f times as many",
				x.long, x.what, x.short, ratio)
		}
	}
}
