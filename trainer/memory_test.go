package trainer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"tengen/internal/machine"
	"tengen/replay/record"
	"tengen/selfplay"
)

// TestMemoryOfTheWindow: the window is that of its games, as many as it will hold.
func TestMemoryOfTheWindow(t *testing.T) {
	p := tiny(t, "replay.games=1000")
	window := func(p *Plan, bytes float64, games int) float64 {
		m := p.memoryOf(sample{plies: 9, bytes: bytes}, games)
		return m.Window
	}
	grows := tiny(t, "replay.games=1000", "replay.growth=0.5")
	ahead := tiny(t, "replay.games=1000", "training.cycle=pipelined", "training.games=30")
	for i, c := range []struct{ got, want float64 }{
		{window(p, 50, 400), 50 * 400},
		{window(p, 50, 1000), 50 * 1000},
		{window(p, 50, 5000), 50 * 1000},
		{window(p, 70, 5000), 70 * 1000},
		{window(grows, 10, 5000), 10 * float64(grows.Config.Replay.Window(5000))},
		{window(ahead, 10, 5000), 10 * float64(1030+ahead.ConcurrentGames())},
		{p.MemoryOfWorker().Window, 0},
	} {
		if c.got != c.want {
			t.Errorf("%d: %g bytes, want %g", i, c.got, c.want)
		}
	}
	descends := tiny(t, "algorithm=descent", "game=tictactoe")
	a, b := descends.memoryOf(sample{states: 20}, 10), descends.memoryOf(sample{states: 50}, 10)
	if want := float64(descends.ConcurrentGames() * 30 * (48 + 4*2)); b.Trees-a.Trees != want {
		t.Errorf("trees of 30 states more have %g bytes more, want %g", b.Trees-a.Trees, want)
	}
	small := tiny(t, "selfplay.cache_mib=3").MemoryOfWorker()
	large := tiny(t, "selfplay.cache_mib=8").MemoryOfWorker()
	if d := large.All() - small.All(); d != 5<<20 {
		t.Errorf("5 MiB more of cache are %g bytes", d)
	}
}

// TestSampledGames: games that are played for the estimate are as long as the run's first, and take
// as much of the window, also where searches are cut short.
func TestSampledGames(t *testing.T) {
	for _, set := range [][]string{
		{"search.simulations=6"}, {"search.simulations=24"},
		{"search.simulations=24", "search.fast_simulations=12", "search.full_probability=0.5"},
		{"game=tictactoe", "algorithm=descent", "descent.iterations=30"},
	} {
		p := tiny(t, append(set, "warm_start.schedule=none")...)
		s, err := p.sampleGames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		job := selfplay.Job{Weights: &noWeights{p.Spec}, NewEvaluator: newFree}
		for i := range 50 {
			job.Games = append(job.Games, uint64(1000+i))
		}
		plies, bytes, n := 0.0, 0.0, 0.0
		if err := selfplay.Play(t.Context(), &p.Play, job, 1, 4, new(selfplay.Counters),
			func(g *record.Game) error {
				b, err := record.AppendEncoded(nil, g)
				plies, bytes, n = plies+float64(len(g.Moves)), bytes+float64(len(b)), n+1
				return err
			}); err != nil {
			t.Fatal(err)
		}
		if math.Abs(math.Log(s.plies*n/plies)) > 1 ||
			math.Abs(math.Log(s.bytes*n/(bytes+gameOverhead*n))) > 1 {
			t.Errorf("%v: %+v, want %g plies and %g bytes", set, s, plies/n, bytes/n)
		}
		if p.Descends() != (s.states > 0 && s.states >= s.plies) && p.Descends() {
			t.Errorf("%v: %g states", set, s.states)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tiny(t).sampleGames(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled estimate: %v", err)
	}
}

// TestFit: a run that can't fit is refused in a line that names a key and the greatest value with
// which it fits; one that will hardly fit is warned of.
func TestFit(t *testing.T) {
	defer func(f func() machine.Memory) { machineMemory = f }(machineMemory)
	const mib, gib = 1 << 20, 1 << 30
	s := sample{plies: 80, bytes: 4000}
	for name, c := range map[string]struct {
		set           string
		has           machine.Memory
		refused, warn string
	}{
		"unknown": {"replay.games=100000000", machine.Memory{}, "", ""},
		"fits":    {"", machine.Memory{Total: 8 * gib, Available: 7 * gib}, "", ""},
		"the window does not": {"replay.games=10000000 training.iterations=1000000",
			machine.Memory{Total: 8 * gib, Available: 6 * gib},
			"replay.games=10000000: at most 2100000 fits; the run needs about 37 GiB of memory, and this machine has 8192 MiB",
			""},
		// Half of it does.
		"the window hardly does": {"replay.games=3000000 training.iterations=1000000",
			machine.Memory{Total: 8 * gib, Available: 6 * gib}, "",
			"the run needs about 11 GiB of memory, and this machine has 6144 MiB left: replay.games=3000000: at most 1500000 fits"},
		"it may end before": {
			"replay.games=10000000 training.iterations=1000000 training.minutes=60",
			machine.Memory{Total: 8 * gib, Available: 8 * gib, Group: true}, "",
			"the run needs about 37 GiB of memory, and its control group has 8192 MiB left: replay.games=10000000: at most 2100000 fits"},
		"the window is never full": {"replay.games=10000000 training.iterations=10",
			machine.Memory{Total: 8 * gib}, "", ""},
		"the cache does not": {"selfplay.cache_mib=90", machine.Memory{Total: 140 * mib}, "",
			"this machine has 140 MiB left: selfplay.cache_mib=90: at most 75 fits"},
		"the trees do not": {
			"selfplay.games_per_worker=4000 search.simulations=100000 selfplay.workers=1",
			machine.Memory{Total: 8 * gib}, "",
			"selfplay.games_per_worker=4000: at most 240 fits"},
		"nothing does": {"", machine.Memory{Total: 20 * mib}, "",
			"network.blocks=1, network.filters=8: smaller ones are wanted"},
	} {
		machineMemory = func() machine.Memory { return c.has }
		p := tiny(t, strings.Fields(c.set)...)
		games := p.Config.Training.Iterations * p.Config.Training.Games
		m := p.memoryOf(s, games)
		warn, err := m.Fit()
		if err == nil {
			err = errors.New("")
		}
		for _, x := range []struct{ got, want string }{{err.Error(), c.refused}, {warn, c.warn}} {
			if (x.got == "") != (x.want == "") || !strings.Contains(x.got, x.want) ||
				strings.Contains(x.got, "\n") {
				t.Errorf("%s: %q, want %q", name, x.got, x.want)
			}
		}
	}
}

// TestRemedy: with the value that is named a run fits, and with a tenth more it does not.
func TestRemedy(t *testing.T) {
	defer func(f func() machine.Memory) { machineMemory = f }(machineMemory)
	machineMemory = func() machine.Memory { return machine.Memory{Total: 4 << 30} }
	for _, growth := range []float64{0, 0.7} {
		p := tiny(t, "replay.games=9000000", "training.iterations=1000000")
		p.Config.Replay.Growth = growth
		with := func(games int) string {
			p.Config.Replay.Games = games
			m := p.memoryOf(sample{plies: 80, bytes: 4000}, 30_000_000)
			warn, err := m.Fit()
			if err != nil {
				return err.Error()
			}
			return warn
		}
		_, text, _ := strings.Cut(with(9_000_000), "at most ")
		most := 0
		for _, digit := range strings.SplitN(text, " ", 2)[0] {
			most = 10*most + int(digit-'0')
		}
		if most < 10 || with(most) != "" || with(most*11/10) == "" {
			t.Errorf("growth %g: at most %d: %q; more: %q", growth, most, with(most),
				with(most*11/10))
		}
	}
}

// TestCollectIsTold: what the collector has is what the log tells.
func TestCollectIsTold(t *testing.T) {
	defer func(f func() machine.Memory) { machineMemory = f }(machineMemory)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	machineMemory = func() machine.Memory {
		return machine.Memory{Total: 100 << 30, Available: 100 << 30, Group: true}
	}
	p := tiny(t, "replay.games=1000")
	m := p.memoryOf(sample{plies: 80, bytes: 1 << 20}, 1000)
	want := "needs_about,1065 MiB,window,1000 MiB,has,100 GiB (its control group),heap_at_most,89 GiB,gc_percent,100"
	list := []string{}
	for _, x := range m.Collect() {
		list = append(list, fmt.Sprint(x))
	}
	if got := strings.Join(list, ","); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := debug.SetMemoryLimit(-1); n < 89<<30 || n > 90<<30 {
		t.Errorf("a limit of %d bytes", n)
	}
}
