package trainer

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"tengen/checkpoints"
	"tengen/metrics"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/history"
	"tengen/trainer/evaluation"
	"tengen/trainer/learn"
)

// runner is the work of one process on a run. Its fields belong to the goroutine of Run,
// except those that are documented as safe for concurrent use.
type runner struct {
	plan    *Plan
	folder  run.Files
	monitor *Monitor         // safe for concurrent use
	metrics *metrics.Metrics // safe for concurrent use
	log     *slog.Logger
	now     func() time.Time // monotonic; safe for concurrent use

	retrier     *diskRetrier  // safe for concurrent use
	waited      atomic.Int64  // nanoseconds that this process has waited for space on the disk
	events      *run.EventLog // safe for concurrent use; nil until the run's folder exists
	logging     sync.Mutex    // held while an event is logged, and while learning is drawn
	learning    history.Learning
	keeper      *checkpoints.Keeper
	perOctave   int // of checkpoints; Plan.PerOctave until the disk gets short
	filling     filling
	updater     *learn.Updater
	weights     nn.Network // newest, for evaluations
	playing     nn.Network // newest, for self-play
	evaluations *evaluation.Series
	// that waits for its evaluation until the first iteration is over; nil: none does
	initial *evaluation.Network
	state   State
	games   *replay.Log    // the replay on disk
	pending []*record.Game // games of the next iterations that an earlier process played
	source  *source
	// previous is the run at the checkpoint before the one that it is resumed from, nil if it is
	// not needed.
	previous *inputs
	// evaluations that the games of the present iteration asked for, once they are played
	asked uint64
	rates rates
	// evaluationPace is the pace in evaluations, if they are limited.
	evaluationPace pace
	leave          func() // leaves the current stage
	began          time.Time
	before         float64 // seconds that earlier processes took
}

func newRunner(o *Options) *runner {
	r := &runner{
		plan: o.Plan, folder: o.Folder.On(o.FS), monitor: o.Monitor, metrics: o.Metrics, log: o.Log,
		now: monotonic(o.Now), perOctave: o.Plan.PerOctave,
	}
	r.began = r.now()
	r.learning = history.Learning{Files: r.folder, Game: o.Plan.Game}
	r.retrier = &diskRetrier{monitor: r.monitor, metrics: r.metrics, log: r.log, sleep: o.Sleep,
		now: r.now, warn: func(message string) {
			r.logEvent(run.Event{
				Kind: run.EventWarning, Iteration: r.monitor.Status().Iteration, Message: message,
			})
		}}
	if o.Sleep == nil {
		r.retrier.sleep = sleep
	}
	return r
}

// limit returns the time that the run may take; 0 is no limit.
func (r *runner) limit() time.Duration {
	return time.Duration(r.plan.Config.Training.Minutes * float64(time.Minute))
}

// spent reports whether the run's time or its evaluations are used up.
func (r *runner) spent() bool {
	evaluations := r.plan.Config.Training.Evaluations
	return r.limit() > 0 && r.elapsed() >= r.limit() ||
		evaluations > 0 && r.state.Evaluations >= uint64(evaluations)
}

// progressAt returns the share of the run, 0 to 1, that is done after a number of
// iterations, which need not be whole. If the run's time is limited, it is the share that is
// done now. If its evaluations are limited, it is that of the finished iterations, to which
// those of the present one are added in proportion.
func (r *runner) progressAt(iterations float64) float64 {
	present := iterations - float64(r.state.Iteration)
	return r.progressAfter(iterations, float64(r.state.Evaluations)+present*float64(r.asked))
}

// over reports whether all iterations of the run are made.
func (r *runner) over() bool { return r.state.Iteration >= r.plan.Config.Training.Iterations }

// progressAfter returns that share after a number of iterations and of evaluations.
func (r *runner) progressAfter(iterations, evaluations float64) float64 {
	if limit := r.limit(); limit > 0 {
		return min(1, r.elapsed().Seconds()/limit.Seconds())
	}
	if limit := r.plan.Config.Training.Evaluations; limit > 0 {
		return min(1, evaluations/float64(limit))
	}
	return iterations / float64(r.plan.Config.Training.Iterations)
}

// clock returns an iteration and the number of iterations, for schedules that count
// iterations. If the run's time or its evaluations are limited it returns shares instead: of the
// time now, or of the given number of evaluations.
func (r *runner) clock(iteration int, evaluations uint64) (at, of int) {
	if t := r.plan.Config.Training; r.limit() > 0 || t.Evaluations > 0 {
		const parts = 10_000
		return int(parts * r.progressAfter(float64(iteration), float64(evaluations))), parts
	}
	return iteration, r.plan.Config.Training.Iterations
}

// enter leaves the current stage and enters another, which consists of all games or
// steps. The stage "" is none.
func (r *runner) enter(s run.Stage, all int) {
	if r.leave != nil {
		r.leave()
		r.leave = nil
	}
	if s != "" {
		r.leave = r.metrics.Enter(s)
	}
	r.monitor.update(func(m *run.Status) { m.Stage, m.Done, m.All = s, 0, all })
}

// elapsed returns the time that the run has taken over all processes, without the time
// that it waited for space on the disk. It is safe for concurrent use.
func (r *runner) elapsed() time.Duration {
	return time.Duration(r.before*float64(time.Second)) + r.now().Sub(r.began) -
		time.Duration(r.waited.Load())
}

// warn logs something that a person may want to change, as an event too.
func (r *runner) warn(message string, iteration int) {
	r.log.Warn(message, "iteration", iteration)
	r.logEvent(run.Event{Kind: run.EventWarning, Iteration: iteration, Message: message})
}

// logEvent appends to the event log. A failure is logged and does not end the run, which
// does not depend on the log. It is safe for concurrent use.
func (r *runner) logEvent(e run.Event) {
	if r.events == nil {
		return // the folder is being created
	}
	r.logging.Lock()
	first, err := r.events.Write(e)
	r.learning.Add(e)
	r.logging.Unlock()
	if err == nil {
		return
	}
	r.metrics.WriteFailures.Inc()
	if first {
		r.log.Warn("the event log can't be written", "reason", err)
	}
}

// write calls f, which writes a piece, until the disk has space for it. The time that it
// waits does not count as the run's.
func (r *runner) write(ctx context.Context, what piece, f func() error) error {
	waited, err := r.retrier.write(ctx, what, f)
	r.waited.Add(int64(waited))
	return err
}

// drawLearning draws a run's curves. Tests replace it: drawing takes longer than their runs.
var drawLearning = (*history.Learning).Draw

// draw draws the run so far. A failure is logged and does not end the run.
func (r *runner) draw() {
	r.logging.Lock()
	err := drawLearning(&r.learning)
	r.logging.Unlock()
	if err != nil {
		r.metrics.WriteFailures.Inc()
		r.log.Warn("the picture of the run can't be drawn", "reason", err)
	}
}

// monotonic returns a clock that never goes back. If now goes back, the clock repeats its
// last reading and then continues at now's pace. It returns readings of [time.Now]
// unchanged, because these carry a monotonic reading; other clocks may be set back during
// a run. The clock is safe for concurrent use if now is.
func monotonic(now func() time.Time) func() time.Time {
	var mu sync.Mutex
	var last time.Time
	var lost time.Duration // sum of all steps back
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		t := now().Add(lost)
		if back := last.Sub(t); back > 0 && !last.IsZero() {
			lost += back
			t = t.Add(back)
		}
		last = t
		return t
	}
}
