package trainer

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
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
}

// events appends to a run's events.jsonl. It is safe for concurrent use.
type events struct {
	mu   sync.Mutex
	file *os.File
	now  func() time.Time
}

func openEvents(path string, now func() time.Time) (*events, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	return &events{file: file, now: now}, nil
}

// write appends one event.
func (e *events) write(v Event) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.Time = e.now().UTC()
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if _, err := e.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}

func (e *events) close() error { return e.file.Close() }
