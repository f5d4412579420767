package trainer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tengen/metrics"
	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// crowded is a file system in memory that is full from its nth write on, until room is made.
type crowded struct {
	*vfstest.Faulty
	at     int // 0: never
	writes int
	full   atomic.Bool
	failed string // the path at which it failed first
}

// newCrowded returns a file system that fails with err while it is full: writing
// and creating do, or, with sync, Sync.
func newCrowded(at int, err error, sync bool) *crowded {
	c := &crowded{at: at}
	failing := vfstest.Create | vfstest.Mkdir | vfstest.Write
	if sync {
		failing = vfstest.Sync
	}
	c.Faulty = vfstest.NewFaulty(vfstest.NewMemory(), vfstest.First(
		vfstest.Fail(vfstest.Partial(err), c.isFull, vfstest.OpKind(failing)),
		// The event log can't be read, so that no time goes into pictures.
		vfstest.Fail(fs.ErrPermission, vfstest.OpKind(vfstest.Open),
			vfstest.PathMatch("events.jsonl")),
	))
	return c
}

// isFull counts writes and holds while the disk is full.
func (c *crowded) isFull(op vfstest.Op) bool {
	if op.Kind == vfstest.Write {
		c.writes++
		if c.writes == c.at {
			c.full.Store(true)
			c.failed = op.Path
		}
	}
	return c.full.Load()
}

// crowdedRun is a small run on such a file system, and what it logs.
func crowdedRun(t *testing.T, c *crowded) (Options, *bytes.Buffer) {
	o := options(t, tiny(t, "game=tictactoe", "search.simulations=4", "warm_start.simulations=4",
		"training.iterations=3",
		"training.games=8", "replay.games=20", "evaluation.games=1", "evaluation.simulations=2",
		"checkpoints.keep_last=2"), "run")
	o.FS = c
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	// Each look at the clock takes a second, so that each game is committed.
	var asked atomic.Int64
	o.Now = func() time.Time { return time.Unix(1_000_000+asked.Add(1), 0) }
	return o, &log
}

// result is what a run has come to: the newest checkpoint and all games.
func result(t *testing.T, o Options) []any {
	t.Helper()
	f := o.Folder.On(o.FS)
	c, passedOver, err := f.Store().Latest()
	if err != nil || len(passedOver) > 0 {
		t.Fatalf("the newest checkpoint: %v, passed over %v", err, passedOver)
	}
	games, _, err := replay.Load(f.FS, f.Replay())
	if err != nil {
		t.Fatal(err)
	}
	return []any{
		c.Iteration, c.Step, c.Params.Tensors, c.Average.Tensors, c.Optimizer,
		games[max(0, len(games)-20):],
	}
}

// leftovers are temporary files of a run.
func leftovers(t *testing.T, fsys vfs.FS, dir string) (list []string) {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if vfs.IsTemporary(e.Name()) {
			list = append(list, path)
		} else if e.IsDir() {
			list = append(list, leftovers(t, fsys, path)...)
		}
	}
	return list
}

// moments are writes of a run, evenly spread: those with which a test lets it fail.
func moments(t *testing.T, n int) (all []int, want []any) {
	t.Helper()
	c := newCrowded(0, nil, false)
	o, _ := crowdedRun(t, c)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		// The first two writes are the identity's and the configuration's: without them there is no
		// run.
		all = append(all, 3+i*(c.writes-2)/n)
	}
	return all, result(t, o)
}

// TestFullDisk: a run whose disk is full at any moment waits, says so once, and
// once there is room ends as one that was never disturbed. Nothing incomplete stays.
func TestFullDisk(t *testing.T) {
	at, want := moments(t, 14)
	waited := map[string]int{}
	for i, n := range at {
		for _, sync := range []bool{false, true} {
			c := newCrowded(n, []error{syscall.ENOSPC, syscall.EDQUOT}[i%2], sync)
			o, log := crowdedRun(t, c)
			var waits []time.Duration
			o.Sleep = func(_ context.Context, d time.Duration) error {
				waits = append(waits, d)
				if text := o.Monitor.Status().Waiting; !strings.Contains(text,
					"the disk is full") || !strings.Contains(text, "run/") {
					t.Errorf("write %d: the status while it waits is %q", n, text)
				}
				c.full.Store(len(waits) < 6)
				return nil
			}
			if err := Run(context.Background(), o); err != nil {
				t.Fatalf("write %d, at %s: %v", n, c.failed, err)
			}
			if got := o.Monitor.Status().Waiting; got != "" {
				t.Errorf("write %d: the run is over and waits: %q", n, got)
			}
			c.full.Store(false)
			if !reflect.DeepEqual(result(t, o), want) {
				t.Fatalf(
					"write %d, at %s: the run ends otherwise than one that was not disturbed\n%s",
					n, c.failed, log)
			}
			if list := leftovers(t, c, "run"); len(list) > 0 && len(waits) > 0 {
				t.Errorf("write %d, at %s: %v are left", n, c.failed, list)
			}
			if len(waits) == 0 {
				continue // an event or a picture, the last of which nothing waits for
			}
			waited[filepath.Dir(c.failed)]++
			seconds := []time.Duration{2, 4, 8, 16, 30, 30}
			for i := range seconds {
				seconds[i] *= time.Second
			}
			if !slices.Equal(waits, seconds) {
				t.Errorf("write %d: it waited for %v, want %v", n, waits, seconds)
			}
			full, room := strings.Count(log.String(), "the disk is full"),
				strings.Count(log.String(), "there is room on the disk again")
			if full != 1 || room != 1 {
				t.Errorf("write %d: %d and %d lines tell of it, want one each:\n%s",
					n, full, room, log)
			}
			c.Inject(nil)
			history, err := o.Folder.On(c).History()
			if err != nil || !slices.ContainsFunc(history, func(e run.Event) bool {
				return e.Kind == "warning" && strings.Contains(e.Message, "the disk is full")
			}) || !slices.ContainsFunc(history, func(e run.Event) bool {
				return e.Kind == "stop"
			}) {
				t.Errorf("write %d, at %s: %v: the events do not tell of it: %+v",
					n, c.failed, err, history)
			}
		}
	}
	for _, dir := range []string{
		"run/replay", "run/checkpoints/.000001.tmp", "run/checkpoints/.000003.tmp", "run/eval",
	} {
		if waited[dir] == 0 {
			t.Errorf("the disk was never full while something was written to %s: %v", dir, waited)
		}
	}
}

// TestFullDiskInterrupted: a run that is stopped while it waits ends at once, and
// is resumed as if nothing had happened.
func TestFullDiskInterrupted(t *testing.T) {
	at, want := moments(t, 7)
	for _, n := range at {
		c := newCrowded(n, syscall.ENOSPC, false)
		o, log := crowdedRun(t, c)
		ctx, cancel := context.WithCancel(context.Background())
		slept := 0
		o.Sleep = func(ctx context.Context, _ time.Duration) error {
			slept++
			cancel()
			return ctx.Err()
		}
		err := Run(ctx, o)
		cancel()
		complete := o.Monitor.Status().Iteration == 3 && err == nil // but for its evaluation
		if slept > 1 || (slept == 1) != errors.Is(err, context.Canceled) && !complete {
			t.Errorf("write %d, at %s: it waited %d times, then %v\n%s",
				n, c.failed, slept, err, log)
		}
		c.full.Store(false)
		o, log = crowdedRun(t, c)
		o.Resume = true
		c.at = 0
		if err := Run(context.Background(), o); err != nil {
			t.Fatalf("write %d, at %s, resumed: %v\n%s", n, c.failed, err, log)
		}
		if !reflect.DeepEqual(result(t, o), want) {
			t.Errorf("write %d, at %s: the resumed run ends otherwise", n, c.failed)
		}
	}
}

// TestBrokenDisk: whatever else a disk says ends the run, with the file's name
// and what was wrong with it, and what was there goes on to be good.
func TestBrokenDisk(t *testing.T) {
	at, want := moments(t, 7)
	ended := 0
	for i, n := range at {
		for _, sync := range []bool{false, true} {
			reason := []error{syscall.EIO, syscall.EROFS, syscall.EACCES}[i%3]
			c := newCrowded(n, reason, sync)
			o, _ := crowdedRun(t, c)
			o.Sleep = func(context.Context, time.Duration) error {
				t.Errorf("write %d: it waits for a disk that is not full", n)
				return errors.New("no")
			}
			err := Run(context.Background(), o)
			if err != nil {
				ended++
				if !errors.Is(err, reason) || !strings.Contains(err.Error(), "run/") ||
					strings.Contains(err.Error(), "\n") {
					t.Errorf("write %d, at %s: %v", n, c.failed, err)
				}
			} else if dir := filepath.Dir(c.failed); !sync && dir != "run" && dir != "run/eval" {
				t.Errorf("write %d, at %s: it was not noticed", n, c.failed)
			}
			c.full.Store(false)
			c.at = 0
			o, log := crowdedRun(t, c)
			o.Resume = true
			if err := Run(context.Background(), o); err != nil {
				t.Fatalf("write %d, at %s, resumed: %v\n%s", n, c.failed, err, log)
			}
			if !reflect.DeepEqual(result(t, o), want) {
				t.Errorf("write %d, at %s: the resumed run ends otherwise", n, c.failed)
			}
		}
	}
	if ended < len(at) {
		t.Errorf("%d of %d runs ended for it", ended, 2*len(at))
	}
}

// TestWaitingTakesNoTime: what a run waits for room is not counted among its minutes.
func TestWaitingTakesNoTime(t *testing.T) {
	c := newCrowded(12, syscall.ENOSPC, false)
	o, _ := crowdedRun(t, c)
	var clock atomic.Int64 // milliseconds
	o.Now = func() time.Time { return time.UnixMilli(1_000_000 + clock.Add(1)) }
	o.Sleep = func(_ context.Context, d time.Duration) error {
		c.full.Store(false)
		clock.Add(1000 * 3600)
		return nil
	}
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if p := o.Monitor.Status().Last; clock.Load() < 1000*3600 || p.Elapsed > 60 {
		t.Errorf("%d ms went by, and %g s are counted", clock.Load(), p.Elapsed)
	}
}

func TestPiece(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "it to there", 900: "it to there (about 900 bytes)",
		12 << 20: "it to there (about 12 MiB)", 100 << 10: "it to there (about 100 KiB)",
	} {
		if got := fmt.Sprint(piece{"it", "there", bytes}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Too many open files are waited for as a full disk is, and told apart from it.
func TestTooManyOpenFiles(t *testing.T) {
	var log bytes.Buffer
	var told []string
	r := &diskRetrier{
		monitor: new(Monitor), metrics: metrics.New(nil),
		log: slog.New(slog.NewTextHandler(&log, nil)), now: time.Now,
		sleep: func(context.Context, time.Duration) error { return nil }, warn: func(m string) {
			told = append(told, m)
		},
	}
	left := 3
	_, err := r.write(t.Context(), piece{
		name: "the removal of old checkpoints", where: "run/checkpoints",
	}, func() error {
		if left--; left > 0 {
			return &fs.PathError{
				Op: "open", Path: "run/checkpoints",
				Err: []error{syscall.EMFILE, syscall.ENFILE}[left%2],
			}
		}
		return nil
	})
	if err != nil || left != 0 {
		t.Fatalf("%v, after which %d attempts were left", err, left)
	}
	want := []string{
		"too many files are open: waiting for file descriptors to write the removal of old checkpoints to run/checkpoints: ",
		"there are file descriptors again: the removal of old checkpoints is written after ",
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], want[0]) ||
		!strings.HasPrefix(told[1], want[1]) {
		t.Errorf("it tells %q", told)
	}
}

// TestShortages: which errors say that room or file descriptors are wanted.
func TestShortages(t *testing.T) {
	for _, c := range []struct {
		err  error
		want *shortage
	}{
		{nil, nil}, {fs.ErrNotExist, nil}, {syscall.EIO, nil},
		{syscall.ENOSPC, &space}, {&fs.PathError{Err: syscall.EDQUOT}, &space},
		{syscall.EMFILE, &files}, {&fs.PathError{Err: syscall.ENFILE}, &files},
	} {
		if got := shortageOf(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}
