package trainer

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"tengen/configs"
	"tengen/vfs"
)

// Event is one line of events.jsonl.
type Event struct {
	Time      time.Time `json:"time"`
	Event     string    `json:"event"` // start, resume, iteration, gate, evaluation, warning, stop
	Iteration int       `json:"iteration"`
	Message   string    `json:"message,omitempty"`

	*Progress `json:",omitempty"` // iteration
	Strength  *Strength           `json:"strength,omitempty"` // evaluation
	Gate      *GateResult         `json:"gate,omitempty"`     // gate
	Init      string              `json:"init,omitempty"`     // start: whose weights the run begins with
	Changes   []configs.Change    `json:"changes,omitempty"`  // resume: of the configuration
}

// events appends to a run's events.jsonl. It is safe for concurrent use.
type events struct {
	mu   sync.Mutex
	file vfs.File
	now  func() time.Time
	late []byte // what could not be written yet
	bad  bool   // the last event could not be written
}

// maxLate bounds the bytes of events that wait for room on the disk.
const maxLate = 1 << 20

func openEvents(fsys vfs.FS, path string, now func() time.Time) (*events, error) {
	fail := func(err error) (*events, error) {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	file, err := fsys.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return fail(err)
	}
	e := &events{file: file, now: now}
	info, err := file.Stat()
	var last [1]byte
	if err == nil && info.Size() > 0 {
		_, err = file.ReadAt(last[:], info.Size()-1)
		if last[0] != '\n' {
			e.late = []byte{'\n'} // what was cut short stays a line of its own
		}
	}
	if err != nil {
		_ = file.Close() // the first error is the one that counts
		return fail(err)
	}
	return e, nil
}

// write appends one event. What can't be written now, since the disk is full, is
// written with the next one; news says that this is the first that could not be.
func (e *events) write(v Event) (news bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.Time = e.now().UTC()
	line, err := json.Marshal(v)
	if err != nil {
		return true, fmt.Errorf("write event: %w", err)
	}
	if len(e.late) < maxLate {
		e.late = append(append(e.late, line...), '\n')
	}
	n, err := e.file.Write(e.late)
	e.late = e.late[n:]
	if err != nil {
		news, e.bad = !e.bad, true
		return news, fmt.Errorf("write event: %w", err)
	}
	e.late, e.bad = e.late[:0], false
	return false, nil
}

func (e *events) close() error {
	var err error
	if len(e.late) > 0 {
		_, err = e.file.Write(e.late)
	}
	if e := e.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("close the event log: %w", err)
	}
	return nil
}
