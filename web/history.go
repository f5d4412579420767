package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// history is a run's event log as far as it has been read. It is safe for
// concurrent use.
type history struct {
	path string

	mu          sync.Mutex
	file        os.FileInfo // that was read; nil before the first
	read        int64       // bytes of whole lines
	version     int         // of what was read: the number of changes
	iterations  columns
	evaluations columns
	gates       columns
	warnings    []warning
	stopped     *stop     // nil unless the last event was a stop
	began       time.Time // of the present sitting
	last        time.Time // of the last event
	paces       []pace
}

// warning is what a person may want to change.
type warning struct {
	Time      time.Time `json:"time"`
	Iteration int       `json:"iteration"`
	Message   string    `json:"message"`
}

// stop is how a sitting ended.
type stop struct {
	Time    time.Time
	Message string
}

// pace is when an iteration was over.
type pace struct {
	iteration int
	at        time.Time
}

// keptWarnings are as many, the latest, as the page shows.
const keptWarnings = 20

// maxLine is the length of a line of events that is passed over.
const maxLine = 1 << 20

// refresh reads what the log has grown by since the last time. A log that is not
// there yet is empty; one that was replaced is read anew.
func (h *history) refresh() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := os.Stat(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	if h.file != nil && (info.Size() < h.read || !os.SameFile(info, h.file)) {
		version := h.version
		h.iterations, h.evaluations, h.gates = columns{}, columns{}, columns{}
		h.warnings, h.stopped, h.paces = nil, nil, nil
		h.read, h.version = 0, version+1
	}
	h.file = info
	if info.Size() == h.read {
		return nil
	}
	f, err := os.Open(h.path)
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.NewSectionReader(f, h.read, info.Size()-h.read), 1<<16)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if line, err = long(line, lines); err != nil {
				return nil // cut short: the rest comes with the next reading
			}
		case err != nil:
			return nil
		}
		h.read += int64(len(line))
		if h.take(line) {
			h.version++
		}
	}
}

// long reads the rest of a line that is longer than the reader's buffer.
func long(first []byte, lines *bufio.Reader) ([]byte, error) {
	line := slices.Clone(first)
	for {
		more, err := lines.ReadSlice('\n')
		line = append(line, more...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take adds one line and says whether it was one of the log's.
func (h *history) take(line []byte) bool {
	if len(line) > maxLine {
		return false
	}
	var event map[string]any
	if json.Unmarshal(bytes.TrimSpace(line), &event) != nil {
		return false
	}
	iteration, _ := event["iteration"].(float64)
	at, _ := time.Parse(time.RFC3339Nano, text(event["time"]))
	h.stopped = nil
	h.last = at
	switch event["event"] {
	case "start", "resume":
		h.began = at
	case "iteration":
		delete(event, "time")
		delete(event, "event")
		event["iteration"] = iteration
		h.iterations.put(iteration, event)
		h.pace(int(iteration), at)
	case "evaluation":
		strength, ok := event["strength"].(map[string]any)
		if !ok {
			return false
		}
		delete(strength, "earlier")
		delete(strength, "against")
		strength["iteration"] = iteration
		h.evaluations.put(iteration, strength)
	case "gate":
		gate, ok := event["gate"].(map[string]any)
		if !ok {
			return false
		}
		if accepted, ok := gate["accepted"].(bool); ok {
			gate["accepted"] = map[bool]float64{true: 1}[accepted]
		}
		gate["iteration"] = iteration
		h.gates.put(iteration, gate)
	case "warning":
		h.warnings = append(h.warnings, warning{at, int(iteration), text(event["message"])})
		h.warnings = h.warnings[max(0, len(h.warnings)-keptWarnings):]
	case "stop":
		h.stopped = &stop{at, text(event["message"])}
	}
	return true
}

// paced is how many of the last iterations the time left is estimated from.
const paced = 5

func (h *history) pace(iteration int, at time.Time) {
	if n := len(h.paces); n > 0 && h.paces[n-1].iteration != iteration-1 {
		h.paces = nil // the run was resumed elsewhere
	}
	h.paces = append(h.paces, pace{iteration, at})
	h.paces = h.paces[max(0, len(h.paces)-paced-1):]
}

// left estimates how long the iterations up to the last will take; 0 while unknown.
func (h *history) left(iterations int) time.Duration {
	if len(h.paces) < 2 {
		return 0
	}
	first, last := h.paces[0], h.paces[len(h.paces)-1]
	each := last.at.Sub(first.at) / time.Duration(last.iteration-first.iteration)
	return max(0, each*time.Duration(iterations-last.iteration))
}

// counted is when the last iteration of this sitting was over, or else when the
// sitting began: up to then the log tells how long the run has taken.
func (h *history) counted() time.Time {
	if n := len(h.paces); n > 0 && h.paces[n-1].at.After(h.began) {
		return h.paces[n-1].at
	}
	return h.began
}

func text(v any) string { s, _ := v.(string); return s }

// columns are numbers by name, one row for each iteration, ascending. Missing
// ones are NaN.
type columns struct {
	rows   int
	names  []string // in the order in which they came up
	values map[string][]float64
}

// put adds a row of all numbers in an event, named by their place in it:
// "losses.total", "scores.0". Rows of the same and later iterations, from before
// a run was resumed, make way for it.
func (c *columns) put(iteration float64, event map[string]any) {
	if c.values == nil {
		c.values = map[string][]float64{}
	}
	seen := c.values["iteration"]
	keep := len(seen)
	for keep > 0 && seen[keep-1] >= iteration {
		keep--
	}
	if keep < c.rows {
		for name, column := range c.values {
			c.values[name] = column[:keep]
		}
		c.rows = keep
	}
	c.flatten("", event)
	c.rows++
	for name, column := range c.values {
		if len(column) < c.rows {
			c.values[name] = append(column, math.NaN())
		}
	}
}

// maxColumns bounds what an event log of another kind could make of this.
const maxColumns = 200

func (c *columns) flatten(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range keysOf(v) {
			c.flatten(join(name, key), v[key])
		}
	case []any:
		for i, x := range v {
			c.flatten(join(name, strconv.Itoa(i)), x)
		}
	case float64:
		column, ok := c.values[name]
		if !ok {
			if len(c.names) == maxColumns {
				return
			}
			c.names = append(c.names, name)
		}
		for len(column) < c.rows {
			column = append(column, math.NaN())
		}
		c.values[name] = append(column, v)
	}
}

func keysOf(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func join(name, key string) string {
	if name == "" {
		return key
	}
	return name + "." + key
}

// last is the column's last number, NaN without one.
func (c *columns) last(name string) float64 {
	column := c.values[name]
	if len(column) == 0 {
		return math.NaN()
	}
	return column[len(column)-1]
}
