package trainer

import (
	"slices"

	"tengen/run"
)

// report returns the events that report the iteration that has just ended. overfits is a warning,
// "" if there is none.
func (r *runner) report(p *run.Progress, overfits string) []run.Event {
	at, now := r.state.Iteration, r.now().UTC()
	var events []run.Event
	if overfits != "" {
		events = append(events, run.Event{
			Time: now, Kind: run.EventWarning, Iteration: at, Message: overfits,
		})
	}
	return append(events, run.Event{
		Time: now, Kind: run.EventIteration, Iteration: at, Progress: p,
	})
}

// logMissing logs the events of the checkpoint that the event log lacks: a process that was killed
// after the checkpoint did not write them. A log that can't be read is left as it is.
func (r *runner) logMissing() {
	if len(r.state.Events) == 0 {
		return
	}
	missing := slices.Clone(r.state.Events)
	err := r.folder.EachEvent(func(logged run.Event) {
		missing = slices.DeleteFunc(missing, func(e run.Event) bool {
			return e.Kind == logged.Kind && e.Iteration == logged.Iteration &&
				e.Time.Equal(logged.Time)
		})
	})
	if err != nil {
		r.log.Warn("events may be missing", "reason", err)
		return
	}
	for _, e := range missing {
		r.logEvent(e)
	}
}
