package trainer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"tengen/metrics"
	"tengen/run"
)

// diskRetrier retries writes that fail because the disk is full (ENOSPC), a quota is used
// up (EDQUOT), or no file descriptor is left (EMFILE, ENFILE). Any other error ends the run: a disk
// with errors must not be written further, and what it holds is the newest state that is known to
// be complete. It is safe for concurrent use.
type diskRetrier struct {
	monitor *Monitor
	metrics *metrics.Metrics
	log     *slog.Logger
	sleep   func(context.Context, time.Duration) error
	now     func() time.Time
	warn    func(message string)
	writes  atomic.Int64          // attempts that have ended
	writing atomic.Pointer[piece] // the last one that has begun; nil while there is none
}

// The time before the first retry, and the longest time between retries.
const (
	firstWait = 2 * time.Second
	mostWait  = 30 * time.Second
)

// piece is something to write, as log lines describe it.
type piece struct {
	name  string // such as "the checkpoint of iteration 12"
	where string
	bytes int64 // approximate; 0: unknown
}

func (p piece) String() string {
	text := p.name + " to " + p.where
	if p.bytes > 0 {
		text += fmt.Sprintf(" (about %s)", size(p.bytes))
	}
	return text
}

// write calls f, which writes the piece or leaves the old content, until it does not fail
// for lack of space. It returns the time that it waited. If ctx ends while it waits, it
// returns ctx's error.
func (p *diskRetrier) write(
	ctx context.Context, what piece, f func() error,
) (waited time.Duration, err error) {
	attempt := func() error {
		p.writing.Store(&what)
		err := f()
		p.writing.Store(nil)
		p.writes.Add(1)
		if err != nil {
			p.metrics.WriteFailures.Inc()
		}
		return err
	}
	err = attempt()
	short := shortageOf(err)
	if short == nil {
		return 0, err
	}
	began, wait := p.now(), firstWait
	since := func() time.Duration { return p.now().Sub(began) }
	message := fmt.Sprintf("%s: waiting for %s to write %s: %s",
		short.is, short.wants, what, cause(err))
	p.log.Warn(message)
	p.warn(message)
	p.monitor.update(func(s *run.Status) { s.Waiting = message })
	p.metrics.WaitingForDisk.Set(1)
	defer p.metrics.WaitingForDisk.Set(0)
	defer p.monitor.update(func(s *run.Status) { s.Waiting = "" })
	for shortageOf(err) != nil {
		if p.sleep(ctx, wait) != nil {
			return since(), fmt.Errorf("waiting for %s to write %s: %w",
				short.wants, what, ctx.Err())
		}
		wait = min(2*wait, mostWait)
		err = attempt()
	}
	if err == nil {
		message := fmt.Sprintf("%s: %s is written after %s",
			short.over, what.name, since().Round(time.Second))
		p.log.Info(message)
		p.warn(message)
	}
	return since(), err
}

// shortage is what a write may wait for, as log lines tell it.
type shortage struct{ is, wants, over string }

var (
	space = shortage{"the disk is full", "room", "there is room on the disk again"}
	files = shortage{
		"too many files are open", "file descriptors", "there are file descriptors again",
	}
)

// shortageOf returns what an error says is missing; nil if waiting is of no use.
func shortageOf(err error) *shortage {
	switch {
	case outOfSpace(err):
		return &space
	case outOfFiles(err):
		return &files
	}
	return nil
}

// outOfFiles reports whether an error means that the process, or the machine, has too many files
// open.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// outOfSpace reports whether an error means a full disk or an exhausted quota.
func outOfSpace(err error) bool {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true
	}
	var number syscall.Errno
	if runtime.GOOS != "windows" || !errors.As(err, &number) {
		return false
	}
	switch number {
	case 39, 112, 1295: // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED
		return true
	}
	return false
}

// cause returns the error of the file system without the operation and the path.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// sleep waits for a time. If ctx ends first, it returns its error.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
