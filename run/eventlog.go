package run

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"tengen/vfs"
)

// MaxLine is the length, in bytes, up to which readers read a line of the event log.
// It is far above the length of any event.
const MaxLine = 1 << 20

// EventLog appends to a run's event log. It is safe for concurrent use.
type EventLog struct {
	mu      sync.Mutex
	file    vfs.File
	now     func() time.Time
	pending []byte // could not be written yet
	failed  bool   // the last write failed
}

// maxPending bounds the bytes of events that wait for space on the disk.
const maxPending = 1 << 20

// OpenEvents opens the event log for appending and creates it if it is missing. Events
// take their time from now.
func (f Files) OpenEvents(now func() time.Time) (*EventLog, error) {
	fail := func(err error) (*EventLog, error) {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	file, err := f.FS.OpenFile(f.Events(), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return fail(err)
	}
	l := &EventLog{file: file, now: now}
	info, err := file.Stat()
	var last [1]byte
	if err == nil && info.Size() > 0 {
		_, err = file.ReadAt(last[:], info.Size()-1)
		if last[0] != '\n' {
			l.pending = []byte{'\n'} // ends a line that was cut short
		}
	}
	if err != nil {
		_ = file.Close() // the first error is the one to return
		return fail(err)
	}
	return l, nil
}

// Write appends one event, and sets its time if it has none. If it fails, it keeps the event and
// writes it with the next one; first reports whether the write before succeeded.
func (l *EventLog) Write(e Event) (first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Time.IsZero() {
		e.Time = l.now().UTC()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return true, fmt.Errorf("write event: %w", err)
	}
	if len(l.pending) < maxPending {
		l.pending = append(append(l.pending, line...), '\n')
	}
	n, err := l.file.Write(l.pending)
	l.pending = l.pending[n:]
	if err != nil {
		first, l.failed = !l.failed, true
		return first, fmt.Errorf("write event: %w", err)
	}
	l.pending, l.failed = l.pending[:0], false
	return false, nil
}

// Close writes what is pending and closes the log.
func (l *EventLog) Close() error {
	var err error
	if len(l.pending) > 0 {
		_, err = l.file.Write(l.pending)
	}
	err = cmp.Or(err, l.file.Close())
	if err != nil {
		return fmt.Errorf("close the event log: %w", err)
	}
	return nil
}

// History reads the event log. It skips lines that it can't read, such as one that a
// crash cut short.
func (f Files) History() ([]Event, error) {
	var history []Event
	if err := f.EachEvent(func(e Event) { history = append(history, e) }); err != nil {
		return nil, err
	}
	return history, nil
}

// shortest is the least number of bytes of a line that says anything. A file of shorter ones costs
// nothing.
const shortest = len(`{"event":"stop"}`)

// EachEvent calls visit with each event of the log, in order. It skips lines that it
// can't read.
func (f Files) EachEvent(visit func(Event)) error {
	file, err := f.FS.OpenFile(f.Events(), os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	defer file.Close()
	lines := bufio.NewReaderSize(file, MaxLine)
	var e Event
	for whole := true; ; {
		line, err := lines.ReadSlice('\n')
		e = Event{}
		if whole && err != bufio.ErrBufferFull && len(line) >= shortest &&
			json.Unmarshal(line, &e) == nil {
			visit(e)
		}
		whole = err == nil
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("read the event log: %w", err)
		}
	}
}
