package trainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/checkpoints"
	"tengen/configs"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/metrics"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/inspect"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// faultPlan is a run of a few milliseconds that still does everything to its
// files: it commits after each game, removes checkpoints and segments, keeps an
// average.
func faultPlan(t testing.TB, set ...string) *Plan {
	t.Helper()
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: append([]string{
		"game=tictactoe", "network.blocks=0", "network.filters=4", "network.hidden=4",
		"search.simulations=2", "search.noise_weight=0.25", "warm_start.schedule=none",
		"warm_start.initial_games=0",
		"training.iterations=2", "training.games=2", "training.batch=4", "training.max_steps=1",
		"training.warmup_steps=1",
		"training.ema_decay=0.9", "training.optimizer=sgd", "training.momentum=0.9",
		"replay.games=2", "replay.held_out=0",
		"evaluation.every=0", "selfplay.workers=1", "selfplay.games_per_worker=1",
		"selfplay.cache_mib=0",
		"checkpoints.keep_last=1", "metrics.address=",
	}, set...)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	p.PerOctave = 0
	return p
}

// witness is a file system that remembers what it has promised to a run, and a
// log that remembers what the run has told.
type witness struct {
	*vfstest.Faulty
	slog.Handler
	disk *vfstest.Memory

	mu   sync.Mutex
	open []*witnessed
	kept map[uint64]*record.Game // games in segments whose content and name were synced
	told int                     // iterations that are done
}

func newWitness() *witness {
	disk := vfstest.NewMemory()
	return &witness{
		Faulty: vfstest.NewFaulty(disk, nil), disk: disk, Handler: slog.DiscardHandler,
		kept: map[uint64]*record.Game{},
	}
}

// OpenFile watches what is written to segments.
func (w *witness) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := w.Faulty.OpenFile(name, flag, perm)
	if err != nil || flag&os.O_WRONLY == 0 || filepath.Ext(name) != replay.Extension {
		return f, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &witnessed{File: f, w: w}
	w.open = append(w.open, s)
	return s, nil
}

// SyncDir makes the names of segments durable.
func (w *witness) SyncDir(name string) error {
	err := w.Faulty.SyncDir(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && filepath.Base(name) == "replay" {
		for _, s := range w.open {
			s.named = true
			s.keep()
		}
	}
	return err
}

// witnessed is a segment that is being written.
type witnessed struct {
	vfs.File
	w      *witness
	data   []byte
	synced int // bytes
	named  bool
}

func (s *witnessed) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	s.data = append(s.data, p[:n]...)
	return n, err
}

func (s *witnessed) Sync() error {
	err := s.File.Sync()
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if err == nil {
		s.synced = len(s.data)
		s.keep()
	}
	return err
}

func (s *witnessed) keep() {
	if !s.named {
		return
	}
	games, _ := replay.ReadSegment("", s.data[:s.synced])
	for _, g := range games {
		s.w.kept[g.Number] = g
	}
}

// Enabled and Handle make the witness the run's log.
func (*witness) Enabled(context.Context, slog.Level) bool { return true }

func (w *witness) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "iteration" {
		w.told++
	}
	return nil
}

// ticking is a clock that moves on by two seconds whenever it is read, so that
// every game is committed.
func ticking() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time { return time.Unix(seconds.Add(2), 0) }
}

// run trains the plan in the folder "run" from where it is, and returns the
// number of games that it played.
func (w *witness) run(p *Plan) (played int, err error) {
	w.open = nil // what an earlier process had open
	o := Options{
		Plan: p, Folder: "run", FS: w, Monitor: new(Monitor), Metrics: metrics.New(nil),
		Log: slog.New(w), Now: ticking(),
	}
	o.Resume = o.Folder.On(w).Exists()
	err = Run(context.Background(), o)
	return int(testutil.ToFloat64(o.Metrics.GamesFinished)), err
}

// end is what a run comes to: its newest checkpoint and the games in its window.
type end struct {
	*checkpoints.Checkpoint
	games []*record.Game
}

func (w *witness) end(p *Plan) (*end, error) {
	c, passedOver, err := checkpoints.Store{FS: w, Dir: run.Folder("run").Checkpoints()}.Latest()
	if err != nil || len(passedOver) > 0 {
		return nil, fmt.Errorf("newest checkpoint: %w, passed over %v", err, passedOver)
	}
	games, _, err := replay.Load(w, run.Folder("run").Replay())
	return &end{c, games[max(0, len(games)-p.Config.Replay.Games):]}, err
}

// difference says in what two runs differ, "" if in nothing.
func (e *end) difference(o *end) string {
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"iteration", e.Iteration, o.Iteration}, {"steps", e.Step, o.Step},
		{"network", e.Params.Tensors, o.Params.Tensors},
		{"average", e.Average.Tensors, o.Average.Tensors}, {"solver", e.Optimizer, o.Optimizer},
		{"games", e.games, o.games},
	} {
		if !reflect.DeepEqual(part.a, part.b) {
			return part.name
		}
	}
	return ""
}

// check says what is lost of what the run was promised or has told, once the
// process or the machine is up again.
func (w *witness) check(p *Plan) error {
	newest := 0
	store := checkpoints.Store{FS: w, Dir: run.Folder("run").Checkpoints()}
	switch c, passedOver, err := store.Latest(); {
	case len(passedOver) > 0:
		return fmt.Errorf("a checkpoint is damaged: %v", passedOver)
	case err == nil:
		newest = c.Iteration
	case !errors.Is(err, checkpoints.ErrNone):
		return err
	}
	if newest < w.told {
		return fmt.Errorf("%d iterations were told, the newest checkpoint is of %d", w.told, newest)
	}
	games, _, err := replay.Load(w, run.Folder("run").Replay())
	if err != nil {
		return err
	}
	there := map[uint64]*record.Game{}
	for _, g := range games {
		if there[g.Number] != nil {
			return fmt.Errorf("game %d is there twice", g.Number)
		}
		there[g.Number] = g
	}
	window := newest*p.Config.Training.Games - p.Config.Replay.Games
	for number, g := range w.kept {
		if int(number) >= window && !reflect.DeepEqual(there[number], g) {
			return fmt.Errorf("game %d was kept and is gone", number)
		}
	}
	return nil
}

// checkEvents returns an error unless the event log reports every iteration, each once.
func (w *witness) checkEvents(p *Plan) error {
	history, err := run.Folder("run").On(w).History()
	if err != nil {
		return err
	}
	var reported []int
	for _, e := range history {
		if e.Kind == run.EventIteration {
			reported = append(reported, e.Iteration)
		}
	}
	for i := range p.Config.Training.Iterations {
		if i >= len(reported) || reported[i] != i+1 ||
			len(reported) > p.Config.Training.Iterations {
			return fmt.Errorf("the event log reports the iterations %d", reported)
		}
	}
	return nil
}

// fate is what becomes of a process and its machine once an operation has failed.
type fate struct {
	name string
	mode vfstest.Mode
	// cut, if not nil, is called with a number that differs from test to test.
	cut func(disk *vfstest.Memory, n int)
}

// up ends the faults of a process or machine.
func (f *fate) up(w *witness, n int) {
	w.Inject(nil)
	if f.cut != nil {
		f.cut(w.disk, n)
	}
}

var fates = []fate{
	{"an error", vfstest.Once, nil},
	{"a torn write and an error", vfstest.Torn, nil},
	{"a kill", vfstest.Dead, nil},
	{"a power cut that loses all it can", vfstest.Dead, func(disk *vfstest.Memory, _ int) {
		disk.PowerCut(nil)
	}},
	{"a power cut that loses some", vfstest.Dead, func(disk *vfstest.Memory, n int) {
		disk.PowerCut(random.New(uint64(n), random.Test))
	}},
}

// matters says whether a fate is another one at this operation, as vfstest.Faulty logs
// it, than at the one behind it, or than an error there: where an operation
// changes nothing, dying there is dying at the next one that does, and only
// writing and removing can be done by half.
func (f *fate) matters(operation string) bool {
	op, _, _ := strings.Cut(operation, " ")
	switch f.mode {
	case vfstest.Dead:
		return op != "stat" && op != "list" && op != "read" && op != "close"
	case vfstest.Torn:
		return op == "write" || op == "remove"
	}
	return true
}

// thorough: in the slow build every operation meets every fate. In the other one read of three has
// its turn, and where games are played beside updates, each operation has one of the deaths: those
// of the files are the same in every cycle.
var thorough = false

// TestRunSurvivesEveryFault: whatever operation of a run fails, and whatever
// becomes of the machine then, no game that was kept and no iteration that was
// told is lost, none is played or made again, and the run goes on to the same end.
func TestRunSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	testFaults(t, faultPlan(t))
}

func testFaults(t *testing.T, p *Plan) {
	whole := newWitness()
	played, err := whole.run(p)
	if err != nil {
		t.Fatal(err)
	}
	operations := whole.Log()
	want, err := whole.end(p)
	if err != nil {
		t.Fatal(err)
	}
	// With games and updates at the same time the operations have no order, and some depend on it.
	strict := p.Config.Training.Cycle == configs.CycleSynchronous
	if p.Config.Training.Cycle == configs.CycleAsynchronous {
		played = len(whole.kept) // others were cut short
	}
	if iterations := p.Config.Training.Iterations; whole.told != iterations ||
		len(whole.kept) != played || len(operations) < 100 {
		t.Fatalf("%d of %d iterations are told, %d of %d games are kept, in %d operations",
			whole.told, iterations, len(whole.kept), played, len(operations))
	}
	// Until games are written all cycles do the same, of which TestRunSurvivesEveryFault is enough.
	from := 1
	if !strict {
		from = 1 + slices.Index(operations, "create run/replay/000000.games")
	}
	var strikes, missed atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d operations, %d faults, %d operations that did not come",
			len(operations), strikes.Load(), missed.Load())
		if missed.Load() > strikes.Load()/4 {
			t.Errorf("%d of %d faults did not strike", missed.Load(), strikes.Load())
		}
	})
	for i, f := range fates {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for n := from; n <= len(operations); n++ {
				if !f.matters(operations[n-1]) || testing.Short() && n%5 != 0 {
					continue
				}
				read := strings.HasPrefix(operations[n-1], "read ")
				other := !strict && f.mode == vfstest.Dead &&
					random.New(uint64(n), random.Test).IntN(3) != i%3
				if !thorough && (read && n%3 != 0 || other) {
					continue
				}
				strikes.Add(1)
				err := f.strike(p, n, played, want)
				if errors.Is(err, errNoSuchOperation) && !strict {
					missed.Add(1)
				} else if err != nil {
					t.Errorf("operation %d (%s): %v", n, operations[n-1], err)
				}
			}
		})
	}
}

var errNoSuchOperation = errors.New("it does not come to that")

// strike lets the nth operation of a run fail, and takes the run up again.
func (f *fate) strike(p *Plan, n, played int, want *end) error {
	w := newWitness()
	w.Inject(vfstest.At(n, f.mode))
	before, err := w.run(p)
	if w.Failed() == nil {
		return errNoSuchOperation
	}
	if f.mode == vfstest.Dead && err == nil && w.told < p.Config.Training.Iterations {
		return errors.New("the run goes on over a dead disk")
	}
	f.up(w, n)
	if err := w.check(p); err != nil {
		return fmt.Errorf("after %v: %w", err, err)
	}
	kept, done := len(w.kept), w.told
	again, err := w.run(p)
	if err != nil {
		return fmt.Errorf("going on: %w", err)
	}
	asynchronous := p.Config.Training.Cycle == configs.CycleAsynchronous
	if !asynchronous && (again > played-kept || before+again < played) {
		return fmt.Errorf("%d games are played before and %d after it, %d of %d were kept",
			before, again, kept, played)
	}
	if all := p.Config.Training.Iterations; w.told > all ||
		w.told < all && done == w.told && w.told != all-1 {
		return fmt.Errorf("%d of %d iterations are told, %d before", w.told, all, done)
	}
	if f.cut == nil { // a power cut may take lines of the log
		if err := w.checkEvents(p); err != nil {
			return err
		}
	}
	end, err := w.end(p)
	if err != nil {
		return err
	}
	if asynchronous {
		if err := w.check(p); err != nil {
			return fmt.Errorf("in the end: %w", err)
		}
		games, _, err := replay.Load(w, run.Folder("run").Replay())
		if err != nil {
			return err
		}
		return inspect.VerifyAsynchronous(p.Config, games, end.Checkpoint)
	}
	if what := end.difference(want); what != "" {
		return fmt.Errorf("in the end the %s differs from the undisturbed run's", what)
	}
	return nil
}
