package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/run"
	"tengen/vfs/vfstest"
)

// TestDiskOfARun: what a run takes in the end is at most what was told, and at least half of it
// where checkpoints are most of it.
func TestDiskOfARun(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and about files rather than goroutines")
	}
	for _, set := range [][]string{
		{"network.filters=32", "network.hidden=32"},
		{"network.filters=32", "network.hidden=32", "training.optimizer=adam"},
		{"network.filters=32", "training.ema_decay=0", "evaluation.every=10", "evaluation.games=1"},
		{"checkpoints.keep_last=20", "replay.games=50"},
	} {
		p := faultPlan(t, append([]string{"training.iterations=50"}, set...)...)
		p.PerOctave = checkpoints.PerOctave
		m, err := p.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := options(t, p, t.TempDir())
		o.Folder = run.Folder(string(o.Folder) + "/runs/a")
		d := p.Disk(&m, o.Folder)
		if d.Free == 0 || d.Taken != 0 {
			t.Errorf("%v: %+v", set, d)
		}
		if err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		f := o.Folder.On(nil)
		got := bytesBelow(f.FS, f.Folder.Checkpoints())
		if n := len(list(t, o)); n >= d.Kept || n < d.Kept-6 || got > d.Checkpoints ||
			got < d.Checkpoints/2 && d.Checkpoints > 1<<20 {
			t.Errorf("%v: %d checkpoints with %g bytes, told were %d with %g",
				set, n, got, d.Kept, d.Checkpoints)
		}
		// Whole segments are removed, so that there may be more games for a while.
		if got := bytesBelow(f.FS, f.Replay()); got > 2*d.Games+4096 {
			t.Errorf("%v: games have %g bytes, told were %g", set, got, d.Games)
		}
		if got := bytesBelow(f.FS, string(f.Folder)); got > d.All()+16<<10 {
			t.Errorf("%v: the run has %g bytes, told were %g", set, got, d.All())
		}
		if again := p.Disk(&m, o.Folder); again.Taken != bytesBelow(f.FS, string(f.Folder)) {
			t.Errorf("%v: %g bytes are taken", set, again.Taken)
		}
	}
}

// TestDiskByDefault: 20,000 iterations of a network of three million parameters, with Adam, an
// average, and evaluations, take less than 6 GB, and a million little more but for the event log.
func TestDiskByDefault(t *testing.T) {
	for iterations, gigabytes := range map[int]float64{20_000: 6, 1_000_000: 7} {
		r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{
			"network.blocks=8", "network.filters=128",
			fmt.Sprintf("training.iterations=%d", iterations),
		}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(&r.Config)
		if err != nil {
			t.Fatal(err)
		}
		games := r.Config.WarmStart.InitialGames + iterations*r.Config.Training.Games
		m := p.memoryOf(sample{stored: 20_000}, games)
		d := p.Disk(&m, run.Folder(t.TempDir()))
		if n := p.Spec.Count(); n < 2.8e6 || n > 3.6e6 || p.Train.EMADecay == 0 {
			t.Fatalf("%g parameters, %+v", n, p.Train)
		}
		t.Logf("%d iterations, %.2f M parameters: %s", iterations, p.Spec.Count()/1e6, &d)
		if all := d.All() - d.Events; all > gigabytes*1e9 || all < 1e9 {
			t.Errorf("%d iterations take %.2f GB", iterations, all/1e9)
		}
	}
}

// TestDiskFit: a run that will not fit is told which key to change, and fits with the value named,
// and not with one that is a little greater.
func TestDiskFit(t *testing.T) {
	named := regexp.MustCompile(`: ([a-z_.]+)=(\d+): at most (\d+) fits$`)
	for _, c := range []struct {
		set  []string
		free float64
		want string // the key
	}{
		{[]string{"checkpoints.keep_last=50000"}, 1e9, "checkpoints.keep_last"},
		{[]string{"replay.games=1000000"}, 1e9, "replay.games"},
		{[]string{"replay.games=1000000", "checkpoints.keep_last=50000"}, 1e9, ""},
		{nil, 1e5, ""},
	} {
		make := func(set ...string) Disk {
			p := tiny(t, append(append([]string{"training.iterations=100000"}, c.set...),
				set...)...)
			m := p.memoryOf(sample{stored: 5000},
				p.Config.WarmStart.InitialGames+100_000*p.Config.Training.Games)
			d := p.Disk(&m, run.Folder(t.TempDir()))
			d.Free, d.Taken = c.free/2, c.free/2
			return d
		}
		d := make()
		warning := d.Fit()
		found := named.FindStringSubmatch(warning)
		switch {
		case c.want == "" && (found != nil || !strings.Contains(warning, "a larger disk")):
			t.Errorf("%v: %q", c.set, warning)
		case c.want == "":
		case found == nil || found[1] != c.want:
			t.Errorf("%v: %q names not %s", c.set, warning, c.want)
		default:
			most, _ := strconv.Atoi(found[3])
			if d := make(fmt.Sprintf("%s=%d", c.want, most)); d.Fit() != "" {
				t.Errorf("%s=%d: %s", c.want, most, d.Fit())
			}
			// All digits but the first two are 0.
			if d := make(fmt.Sprintf("%s=%d", c.want, most*11/10+1)); d.Fit() == "" {
				t.Errorf("%s=%d fits too", c.want, most*11/10+1)
			}
		}
		d.Free = 0
		if d.Fit() != "" {
			t.Errorf("without knowing the disk: %q", d.Fit())
		}
	}
}

// TestFilling: at any rate, the disk is said to be full soon when it lasts an hour more, or two
// intervals of readings, and not before, and what is freed is no slower filling.
func TestFilling(t *testing.T) {
	rng := random.New(3, random.Test)
	for range 200 {
		var f filling
		at := time.Unix(1_000_000, 0)
		if !f.due(at) {
			t.Fatal("nothing is read at first")
		}
		every := time.Duration(1+rng.IntN(100)) * time.Minute
		rate := math.Exp(10 + 10*rng.Float64()) // bytes a minute
		horizon := max(time.Hour, 2*every)
		free := rate * (horizon.Minutes() + every.Minutes()*float64(1+rng.IntN(20)) +
			20*rng.Float64())
		began := at
		for n := 1; ; n++ {
			if n == 3 {
				f.freed(int64(rate * 50))
				free += rate * 50
			}
			f.note(at, int64(free))
			left, soon := f.soon()
			known := at.Sub(began) >= shortReadings
			if lasts := free / rate; known && math.Abs(lasts-horizon.Minutes()) > 1 {
				if want := lasts < horizon.Minutes(); soon != want ||
					soon && math.Abs(left.Minutes()-lasts) > 0.5 {
					t.Fatalf("%v apart, reading %d: %v (%v), lasts %v minutes", every, n, soon, left,
						lasts)
				}
			} else if !known && soon {
				t.Fatalf("after %v: soon", at.Sub(began))
			}
			if f.due(at.Add(59*time.Second)) || !f.due(at.Add(time.Minute)) {
				t.Fatal("readings are not a minute apart")
			}
			if len(f.list) > 62 {
				t.Fatalf("%d readings are kept", len(f.list))
			}
			if soon || n > 1000 {
				break
			}
			at, free = at.Add(every), free-rate*every.Minutes()
		}
	}
	// A disk that does not fill, or is emptied, lasts.
	var f filling
	for i := range 100 {
		f.note(time.Unix(int64(600*i), 0), int64(1000+i%2))
		if _, soon := f.soon(); soon && i > 7 {
			t.Fatalf("reading %d: soon", i)
		}
	}
}

// leaking is a disk that something else fills at a rate, and a log that may end that.
type leaking struct {
	*vfstest.Memory
	slog.Handler
	clock *atomic.Int64 // seconds
	rate  int64         // bytes a second
	ends  bool          // when the run tells of it
	until int64         // when it has ended; 0: it goes on
}

func (l *leaking) Free(name string) (int64, error) {
	free, err := l.Memory.Free(name)
	until := l.clock.Load()
	if l.until > 0 {
		until = l.until
	}
	return max(0, free-l.rate*until), err
}

// Enabled and Handle make it a run's log.
func (*leaking) Enabled(context.Context, slog.Level) bool { return true }

func (l *leaking) Handle(_ context.Context, r slog.Record) error {
	if l.ends && l.until == 0 && strings.HasPrefix(r.Message, "the disk would be full") {
		l.until = l.clock.Load()
	}
	return nil
}

// TestThinsBeforeTheDiskIsFull: an hour before a disk is full the series of old checkpoints is
// thinned as far as is needed, once, and told with what it frees; what a resumed run, an
// evaluation and the run's beginning need stays; and the run comes to the same end, also when it is
// resumed.
func TestThinsBeforeTheDiskIsFull(t *testing.T) {
	const all = 90
	plan := func() *Plan {
		p := faultPlan(t, fmt.Sprintf("training.iterations=%d", all), "checkpoints.keep_last=3")
		p.PerOctave = 4
		return p
	}
	whole := newWitness()
	if _, err := whole.run(plan()); err != nil {
		t.Fatal(err)
	}
	want, err := whole.end(plan())
	if err != nil {
		t.Fatal(err)
	}
	one := int64(bytesBelow(whole.disk, run.Folder("run").Checkpoint(all)))
	for _, c := range []struct {
		name      string
		lasts     float64 // hours, at the beginning
		ends      bool    // that something fills the disk, once the run has told of it
		perOctave int     // in the end
		told      int     // at most
	}{
		{"it lasts", 100, false, 4, 0},
		{"for a while", 3, true, 2, 1},
		{"nothing helps", 1.1, false, 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var clock atomic.Int64
			disk := &leaking{
				Memory: vfstest.NewMemory(), Handler: slog.DiscardHandler, clock: &clock,
				ends: c.ends,
			}
			o := options(t, plan(), "run")
			o.FS, o.Log = disk, slog.New(disk)
			// A reading of the clock takes some seconds, so that the run takes hours.
			o.Now = func() time.Time { return time.Unix(1_000_000+clock.Add(4), 0) }
			// In an hour the disk loses what thirty checkpoints take.
			disk.rate = 30 * one / 3600
			disk.Resize(int64(c.lasts * 3600 * float64(disk.rate)))
			if err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			var warnings []string
			history, err := o.Folder.On(disk).History()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range history {
				if e.Kind == run.EventWarning {
					warnings = append(warnings, e.Message)
				}
			}
			t.Logf("%.1f hours, %q", float64(clock.Load())/3600, warnings)
			policy := checkpoints.Policy{KeepLast: 3, PerOctave: c.perOctave}
			if got := list(t, o); !slices.Equal(got, kept(policy, all)) {
				t.Errorf("kept are %v, want %v", got, kept(policy, all))
			}
			if (c.told == 0) != (len(warnings) == 0) || len(warnings) > c.told {
				t.Errorf("told are %q", warnings)
			}
			got, err := (&witness{Faulty: vfstest.NewFaulty(disk, nil)}).end(o.Plan)
			if err != nil {
				t.Fatal(err)
			}
			if what := got.difference(want); what != "" {
				t.Errorf("the %s differs from that of a run with room", what)
			}
		})
	}
	// What is needed stays, and a disk that can't be asked changes nothing.
	r := newRunner(&Options{
		Plan: plan(), Folder: "run", FS: whole.disk, Monitor: new(Monitor),
		Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	r.perOctave, r.state.Init = 0, "another run"
	e, err := r.openEvaluations()
	if err != nil {
		t.Fatal(err)
	}
	r.evaluations = e
	p := r.policy()
	for iteration, stays := range map[int]bool{0: true, 88: true, 87: false, 64: false} {
		if p.Keeps(iteration, all) != stays {
			t.Errorf("iteration %d of a run with --init: kept %v", iteration, !stays)
		}
	}
	r.perOctave = 4
	fsys := vfstest.NewFaulty(whole.disk, vfstest.Fail(errors.ErrUnsupported,
		vfstest.OpKind(vfstest.Stat)))
	r.folder.FS = fsys
	if err := r.watchDisk(t.Context()); err != nil || len(r.filling.list) > 0 || r.perOctave != 4 {
		t.Errorf("%v, %+v", err, r.filling)
	}
}
