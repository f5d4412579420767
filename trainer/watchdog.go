package trainer

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"sync"
	"time"

	"tengen/run"
	"tengen/vfs"
)

// DefaultStallAfter is the time without any progress after which a run says so.
const DefaultStallAfter = 15 * time.Minute

// watchdog notices when a run makes no progress: no evaluation, search, game or training step ends,
// and nothing is written. A device that hangs, a disk that does not answer and a worker that waits
// for ever look like that. It says so in the log, the metrics and the events, and writes what all
// goroutines do into the run's folder. It ends nothing: what hangs may go on.
type watchdog struct {
	r     *runner
	limit time.Duration
	idle  time.Duration // without progress
	last  pulse
	told  bool
	group sync.WaitGroup // what is written to the disk, which may be what hangs
}

// pulse is what changes when a run makes progress.
type pulse struct {
	iteration, done, all, evaluated              int
	stage                                        run.Stage
	games, evaluations, simulations, batches, in uint64
	writes                                       int64
}

// watch watches the run until the function that it returns is called.
func (r *runner) watch(limit time.Duration) (stop func()) {
	if limit == 0 {
		limit = DefaultStallAfter
	}
	w := &watchdog{r: r, limit: limit, last: r.pulse()}
	every := min(max(limit/10, time.Millisecond), 30*time.Second)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for last := r.now(); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			now := r.now()
			// a process that was stopped for an hour did not hang
			w.look(min(now.Sub(last), 2*every))
			last = now
		}
	}()
	return func() {
		close(done)
		<-ended
		w.group.Wait()
		r.metrics.Stalled.Set(0)
	}
}

func (r *runner) pulse() pulse {
	s, c := r.monitor.Status(), &r.monitor.Counters
	p := pulse{
		iteration: s.Iteration, done: s.Done, all: s.All, stage: s.Stage, games: c.Games.Load(),
		evaluations: c.Evaluations.Load(),
		simulations: c.Simulations.Load(), batches: c.Batches.Load(), in: c.Lookups.Load(),
		writes: r.retrier.writes.Load(),
	}
	if s.Concurrent != nil {
		p.evaluated = s.Concurrent.Done
	}
	return p
}

// look is called when some time has gone by.
func (w *watchdog) look(since time.Duration) {
	r := w.r
	now := r.pulse()
	// that the disk is full is told elsewhere
	if now != w.last || r.monitor.Status().Waiting != "" {
		if w.told {
			r.metrics.Stalled.Set(0)
			r.log.Info("the run goes on after it made no progress")
		}
		w.last, w.idle, w.told = now, 0, false
		return
	}
	if w.idle += since; w.idle < w.limit || w.told {
		return
	}
	w.told = true
	what := "no evaluation, game or training step has ended"
	if piece := r.retrier.writing.Load(); piece != nil {
		what = "the disk has not finished writing " + piece.String()
	}
	path := r.folder.Stalled()
	message := fmt.Sprintf("no progress for %v, %s: %s; what the process does is in %s",
		w.limit, stageText(now.stage), what, path)
	r.metrics.Stalled.Set(1)
	r.log.Warn(message, "iteration", now.iteration)
	w.group.Go(func() {
		var text bytes.Buffer
		fmt.Fprintf(&text, "%s\n%s\n\n", r.now().UTC().Format(time.RFC3339), message)
		_ = pprof.Lookup("goroutine").WriteTo(&text, 2) // into memory
		if err := vfs.WriteBytes(r.folder.FS, path, text.Bytes()); err != nil {
			r.log.Warn("what the process does can't be written", "reason", err)
		}
		r.logEvent(run.Event{Kind: run.EventWarning, Iteration: now.iteration, Message: message})
	})
}

func stageText(s run.Stage) string {
	if s == "" {
		return "between two stages"
	}
	return fmt.Sprintf("in stage %s", s)
}
