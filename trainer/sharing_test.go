package trainer

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/train"
)

// lines is a log that may be read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) count(text string) int { return strings.Count(l.String(), text) }

func (l *lines) log() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// withLast is a driver of the devices of one, and another one's first as the last.
type withLast struct {
	driver.API
	last driver.API
	n    int
}

func (d withLast) Devices() ([]driver.Device, error) {
	a, err := d.API.Devices()
	b, e := d.last.Devices()
	return append(a, b[0]), errors.Join(err, e)
}

func (d withLast) Open(i int) (driver.Context, error) {
	if i == d.n-1 {
		return d.last.Open(0)
	}
	return d.API.Open(i)
}

// sharing opens n emulated devices that play and share each training step. The last can be lost, by
// its driver, or all others, by theirs: a wait for one of their events then never ends, and the
// call is counted.
func sharing(
	t *testing.T, n int, log *lines,
) (_ backend.Measured, others, last *fake.Driver, hung func() int) {
	t.Helper()
	last = fake.New(fake.Ampere(t, 1))
	s := backend.Spec{Kind: backend.CUDA, Inference: backend.FP32, Training: backend.FP32}
	for i := range n {
		s.Ordinals = append(s.Ordinals, i)
	}
	var api driver.API = last
	if n > 1 {
		others = fake.New(fake.Ampere(t, n-1))
		hung = fake.Hang(t, others, last)
		s.Train, api = s.Ordinals, withLast{others, last, n}
	}
	b, err := cudabackend.New(api, s,
		cudabackend.Options{Unchecked: true, Again: -1, Log: log.log()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b.(backend.Measured), others, last, hung
}

// stepping calls onStep before each step of a backend, from 1 on.
type stepping struct {
	backend.Measured
	steps  atomic.Int64
	onStep func(n int64)
}

func (s *stepping) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	x, err := s.Measured.NewTrainer(p, c)
	if err != nil {
		return nil, err
	}
	return &steppingTrainer{x.(train.Async), s}, nil
}

type steppingTrainer struct {
	train.Async
	s *stepping
}

func (t *steppingTrainer) Start(b *train.Batch) error {
	if n := t.s.steps.Add(1); t.s.onStep != nil {
		t.s.onStep(n)
	}
	return t.Async.Start(b)
}

func (t *steppingTrainer) Close() { train.Close(t.Async) }

// sharedRun begins a run of a second, or goes on with it.
func sharedRun(
	ctx context.Context, t *testing.T, b backend.Backend, dir string, set ...string,
) (*lines, error) {
	t.Helper()
	p := tiny(t, append([]string{
		"game=mnk:rows=2,columns=3,in_row=3", "network.blocks=0", "network.filters=16",
		"network.hidden=1", "evaluation.every=0", "training.iterations=3",
		"search.simulations=2", "training.games=3", "training.batch=6", "training.max_steps=2",
		"warm_start.schedule=none", "warm_start.initial_games=2", "warm_start.initial_epochs=1",
		"warm_start.simulations=2", "selfplay.workers=2",
	}, set...)...)
	p.Backend = b
	log, o := &lines{}, options(t, p, dir)
	_, err := os.Stat(filepath.Join(dir, "config.yaml"))
	o.Log, o.Resume = log.log(), err == nil
	return log, Run(ctx, o)
}

// TestSharedSteps: a run whose devices share training steps is the same to the bit when it is
// interrupted and resumed on as many, and when one of them is lost in its midst. Resumed on another
// number of devices or on the processor it goes on, and one line says that bits differ.
func TestSharedSteps(t *testing.T) {
	t.Parallel()
	t.Run("alphazero", func(t *testing.T) {
		testSharedSteps(t, []string{"training.cycle=synchronous"},
			[]disturbance{{1, "SynchronizeEvent", 2}}, 2, 3)
	})
	if testing.Short() {
		return
	}
	t.Run("descent", func(t *testing.T) {
		testSharedSteps(t, []string{
			"training.cycle=pipelined", "algorithm=descent", "descent.iterations=1",
		}, []disturbance{{0, "SynchronizeEvent", 2}}, 0)
	})
}

// disturbance is a call at whose next use one of two devices is lost in a step.
type disturbance struct {
	device int
	call   string
	step   int64
}

// testSharedSteps tests runs on two devices; they are resumed on each number, 0 being the
// processor.
func testSharedSteps(t *testing.T, set []string, lost []disturbance, resumed ...int) {
	root, log := t.TempDir(), &lines{}
	repeats := !slices.Contains(set, "training.cycle=asynchronous")
	ended := func(said *lines, err error, what, dir string, warnings int) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, said)
		}
		if n := said.count("not be the same to the bit"); n != warnings {
			t.Errorf("%s: %d warnings of other bits, want %d:\n%s", what, n, warnings, said)
		}
		if c := newest(t, dir); c.Iteration != 3 || c.Step < 3 {
			t.Errorf("%s: it ends with iteration %d, step %d", what, c.Iteration, c.Step)
		}
	}
	two, _, _, _ := sharing(t, 2, log)
	whole, all := filepath.Join(root, "whole"), &stepping{Measured: two}
	said, err := sharedRun(t.Context(), t, all, whole, set...)
	ended(said, err, "whole", whole, 0)
	if n := log.count("devices share each training step"); n != 1 {
		t.Errorf("%d lines say that devices share steps:\n%s", n, log)
	}
	for _, n := range resumed {
		var b backend.Backend = two
		switch n {
		case 0:
			b = backend.NewCPU()
		case 2:
		default:
			b, _, _, _ = sharing(t, n, &lines{})
		}
		dir := filepath.Join(root, "resumed on "+b.Name())
		ctx, cancel := context.WithCancel(t.Context())
		s := &stepping{Measured: two, onStep: func(n int64) {
			if n == all.steps.Load()-1 {
				cancel()
			}
		}}
		if said, err := sharedRun(ctx, t, s, dir, set...); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted: %v\n%s", err, said)
		}
		cancel()
		warnings := 0
		if n != 2 {
			warnings = 1
		}
		said, err := sharedRun(t.Context(), t, b, dir, set...)
		ended(said, err, filepath.Base(dir), dir, warnings)
		if n == 2 && repeats {
			same(t, "interrupted", whole, dir)
		}
	}
	for i, d := range lost {
		log := &lines{}
		b, first, second, hung := sharing(t, 2, log)
		s := &stepping{Measured: b, onStep: func(n int64) {
			if n == d.step {
				device := []*fake.Driver{first, second}[d.device]
				device.Fail(d.call, 1, &driver.LostError{Device: "fake", Call: d.call, Code: 719})
			}
		}}
		what := "lost at " + d.call
		dir := filepath.Join(root, what+string(rune('a'+i)))
		said, err := sharedRun(t.Context(), t, s, dir, set...)
		ended(said, err, what, dir, 0)
		if repeats {
			same(t, what, whole, dir)
		}
		if log.count("training goes on with another device") != 1 ||
			log.count("device lost; the others take its work") != 1 {
			t.Errorf("%s: the log is\n%s", what, log)
		}
		if n := hung(); n > 0 {
			t.Errorf("%s: %d calls hang", what, n)
		}
	}
}

// TestUndividedBatch: a batch that devices can't divide among themselves is refused in one line,
// before anything is written, at the beginning of a run and when it is resumed.
func TestUndividedBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	three, _, _, _ := sharing(t, 3, &lines{})
	undivided := func(b backend.Backend) {
		t.Helper()
		_, err := sharedRun(t.Context(), t, b, dir, "training.batch=8")
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(),
			"8 rows can't be divided by 3; 6 or 9 rows would do (training.batch)") {
			t.Errorf("error %v", err)
		}
	}
	undivided(three)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder of a refused run: %v", err)
	}
	if _, err := sharedRun(t.Context(), t, nil, dir, "training.batch=8",
		"training.iterations=1"); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	undivided(three)
	if after := contents(t, dir); !slices.Equal(before, after) {
		t.Errorf("refused, it has the files %v; before %v", after, before)
	}
}

// contents lists the files of a folder with their contents.
func contents(t *testing.T, dir string) (list []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		list = append(list, path+" "+string(b))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}
