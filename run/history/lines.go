package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"tengen/run"
)

// Damage is a line of the event log that could not be read.
type Damage struct {
	Line    int    `json:"line"` // from 1
	Problem string `json:"problem"`
}

// position says how far the event log has been read.
type position struct {
	bytes int64
	lines int
	tail  []byte // the bytes just before
	cut   bool   // the last of Run.Damaged is a line that may still be completed
}

// goesOn reports whether log is the log that was read before: its last bytes are still
// there.
func (p *position) goesOn(log io.ReaderAt) bool {
	tail := make([]byte, len(p.tail))
	_, _ = log.ReadAt(tail, p.bytes-int64(len(tail))) // if it fails, they differ
	return bytes.Equal(tail, p.tail)
}

// more reads the events that were appended. A last line without a line feed counts if it is
// complete; otherwise the next call reads it again.
func (r *Run) more(log *os.File) error {
	info, err := log.Stat()
	if err != nil {
		return err
	}
	at := &r.at
	size := info.Size() - at.bytes
	if size == 0 {
		return nil
	}
	if at.cut {
		r.Damaged, at.cut = r.Damaged[:len(r.Damaged)-1], false
	}
	in := bufio.NewReaderSize(io.NewSectionReader(log, at.bytes, size),
		int(min(size+1, run.MaxLine)))
	for err == nil {
		var text []byte
		text, err = in.ReadSlice('\n')
		n, e, problem := len(text), new(run.Event), error(nil)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			problem = fmt.Errorf("longer than %d bytes", run.MaxLine)
			for errors.Is(err, bufio.ErrBufferFull) {
				text, err = in.ReadSlice('\n')
				n += len(text)
			}
		case n > 0 && string(text) != "\n":
			if problem = decode(text, e); problem == nil {
				r.add(text, e)
			}
		}
		if at.cut = err == io.EOF && problem != nil; at.cut {
			n, problem = 0, errors.New("the last line was cut short")
		}
		if problem != nil {
			r.Damaged = append(r.Damaged, Damage{at.lines + 1, problem.Error()})
		}
		at.bytes += int64(n)
		if err == nil {
			at.lines++
		}
	}
	at.tail = make([]byte, min(at.bytes, 64))
	// if it fails, the next call reads the log from the start
	_, _ = log.ReadAt(at.tail, at.bytes-int64(len(at.tail)))
	if err == io.EOF {
		return nil
	}
	return err
}

// decode decodes one event and checks what this package relies on.
func decode(text []byte, e *run.Event) error {
	if err := json.Unmarshal(text, e); err != nil {
		return err
	}
	switch {
	case e.Kind == "" || e.Time.IsZero():
		return errors.New(`the fields "time" and "event" are wanted`)
	case e.Iteration < 0:
		return fmt.Errorf("iteration %d", e.Iteration)
	case e.Kind == run.EventIteration && e.Progress == nil:
		return errors.New("an iteration without its figures")
	case e.Kind == run.EventEvaluation && e.Strength == nil:
		return errors.New(`an evaluation without "strength"`)
	case e.Strength != nil && len(e.Strength.CI) != len(e.Strength.Points):
		return fmt.Errorf("%d intervals for %d seats", len(e.Strength.CI), len(e.Strength.Points))
	}
	return nil
}
