package trainer

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tengen/nn/backend/fake"
	"tengen/run"
)

// awaits waits until a condition holds.
func awaits(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it does not come about", what)
		}
	}
}

// TestHangingDevice: while a device hangs the run says so, in the log, the metrics and the events,
// and writes what its goroutines do; when the device answers again the run goes on to its end.
func TestHangingDevice(t *testing.T) {
	device := &fake.Device{HangAfterBatches: 20, Hang: make(chan struct{})}
	p := tiny(t, "evaluation.every=0", "training.iterations=2")
	p.Backend = device
	o := options(t, p, filepath.Join(t.TempDir(), "run"))
	var log safeBuffer
	o.Log, o.StallAfter = slog.New(slog.NewTextHandler(&log, nil)), 100*time.Millisecond
	ended := make(chan error, 1)
	go func() { ended <- Run(context.Background(), o) }()
	awaits(t, "the metrics tell of it", func() bool {
		return testutil.ToFloat64(o.Metrics.Stalled) == 1 &&
			strings.Contains(log.String(), "no progress for 100ms")
	})
	awaits(t, "what the goroutines do, with the device", func() bool {
		text, _ := os.ReadFile(o.Folder.Stalled()) // not there yet
		return bytes.Contains(text, []byte("nntest.(*async).run")) &&
			bytes.HasPrefix(text, []byte("20"))
	})
	close(device.Hang)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if testutil.ToFloat64(o.Metrics.Stalled) != 0 {
		t.Error("the run is over, and the metrics say that it makes no progress")
	}
	told := 0
	history, err := o.Folder.History()
	for _, e := range history {
		if e.Kind == run.EventWarning && strings.Contains(e.Message, "stalled.txt") {
			told++
		}
	}
	if err != nil || told == 0 {
		t.Errorf("%d events tell of it, %v", told, err)
	}
}

// TestWatchdog: what counts as progress, how long it may be missing, and that a process that was
// stopped has not hung.
func TestWatchdog(t *testing.T) {
	o := options(t, tiny(t), filepath.Join(t.TempDir(), "run"))
	if err := os.MkdirAll(string(o.Folder), 0o755); err != nil {
		t.Fatal(err)
	}
	var log safeBuffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	r := newRunner(&o)
	w := &watchdog{r: r, limit: time.Minute, last: r.pulse()}
	all := 0
	stalled := func() bool { return testutil.ToFloat64(o.Metrics.Stalled) == 1 }
	for name, progress := range map[string]func(){
		"a game": func() { o.Monitor.Counters.Games.Add(1) }, "a batch": func() {
			o.Monitor.Counters.Batches.Add(1)
		},
		"simulations": func() { o.Monitor.Counters.Simulations.Add(3) }, "a stage": func() {
			all++
			r.enter(run.StageUpdate, all)
		},
		"a step": func() {
			o.Monitor.update(func(s *run.Status) { s.Done++ })
		}, "a game of an evaluation": func() {
			o.Monitor.update(func(s *run.Status) { s.Concurrent = &run.Evaluating{Done: 1} })
		},
		"a write": func() { r.retrier.writes.Add(1) },
		"waits for room": func() {
			o.Monitor.update(func(s *run.Status) { s.Waiting = "the disk is full" })
		},
	} {
		progress()
		w.look(time.Second)
		o.Monitor.update(func(s *run.Status) { s.Waiting, s.Concurrent = "", nil })
		w.look(time.Second)
		w.last = r.pulse()
		w.idle = 0
		for range 59 {
			if w.look(time.Second); stalled() {
				t.Fatalf("after %s it is too early", name)
			}
		}
		if w.look(time.Second); !stalled() {
			t.Fatalf("a minute after %s nothing is said", name)
		}
		w.look(time.Hour)
		if progress(); name != "waits for room" {
			w.look(time.Second)
		} else {
			w.look(time.Second)
			o.Monitor.update(func(s *run.Status) { s.Waiting = "" })
		}
		if stalled() {
			t.Fatalf("%s is no progress", name)
		}
	}
	r.retrier.writing.Store(&piece{name: "the checkpoint of iteration 4", where: "runs/x"})
	w.last = r.pulse()
	w.look(time.Minute)
	w.group.Wait()
	if text := log.String(); !strings.Contains(text,
		"the disk has not finished writing the checkpoint of iteration 4 to runs/x") {
		t.Errorf("%s", text)
	}
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
