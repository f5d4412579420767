package trainer

import (
	"context"
	"log/slog"
	"time"

	"tengen/configs"
	"tengen/metrics"
	"tengen/run"
	"tengen/vfs"
)

// Options describe a run and how this process trains it.
type Options struct {
	Plan    *Plan
	Folder  run.Folder
	Resume  bool             // resume the run in Folder
	Monitor *Monitor         // required
	Metrics *metrics.Metrics // required
	Log     *slog.Logger     // required
	Now     func() time.Time // required; safe for concurrent use
	Command string           // what this process is, shown to others that want the run's lock
	FS      vfs.FS           // where Folder is; nil: the operating system's
	// Init is the network that a new run begins with; nil: weights drawn from the seed.
	Init *Init
	// Changes lists what Plan's configuration changes in the one in Folder. Only a
	// resumed run has changes.
	Changes []configs.Change
	// Sleep waits before a write to a full disk is retried. If its context ends, it
	// returns an error. nil waits by the real clock.
	Sleep func(context.Context, time.Duration) error
	// StallAfter is the time without any progress after which the run says so and writes what its
	// goroutines do to run.Folder.Stalled; 0: DefaultStallAfter.
	StallAfter time.Duration
}
