package inspect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"tengen/internal/runid"
	"tengen/run"
)

// Lines describes a log of JSON lines.
type Lines struct {
	Lines      int        `json:"lines"`
	PassedOver int        `json:"passed_over"` // lines that readers skip
	First      *time.Time `json:"first,omitempty"`
	Last       *time.Time `json:"last,omitempty"`
	Kinds      []string   `json:"kinds,omitempty"` // of the lines, in order of appearance
	Counts     []int      `json:"counts,omitempty"`
}

// lineKind is one line of a log.
type lineKind interface {
	// read decodes a line into this value. kind is the kind under which the line is counted.
	read(line []byte) (kind string, at *time.Time, err error)
	// owner returns the identity of the run in the line read last, 0 without one.
	owner() runid.ID
}

// eventLine is a line of events.jsonl.
type eventLine struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	Run   runid.ID  `json:"run"`
}

func (e *eventLine) owner() runid.ID { return e.Run }

func (e *eventLine) read(line []byte) (string, *time.Time, error) {
	*e = eventLine{}
	err := json.Unmarshal(line, e)
	if err == nil && (e.Event == "" || e.Time.IsZero()) {
		err = errors.New(`the fields "time" and "event" are wanted`)
	}
	at := e.Time
	return e.Event, &at, err
}

// evaluationLine is a line of eval/games.jsonl.
type evaluationLine struct {
	Evaluation *int      `json:"evaluation"`
	Players    []string  `json:"players"`
	Scores     []float64 `json:"scores"`
	Run        runid.ID  `json:"run"`
}

func (e *evaluationLine) owner() runid.ID { return e.Run }

func (e *evaluationLine) read(line []byte) (string, *time.Time, error) {
	*e = evaluationLine{}
	err := json.Unmarshal(line, e)
	if err == nil &&
		(e.Evaluation == nil || len(e.Players) == 0 || len(e.Players) != len(e.Scores)) {
		err = errors.New(
			`the fields "evaluation", "players" and, for each of them, "scores" are wanted`)
	}
	return "", nil, err
}

// lines inspects a log of JSON lines. Lines that can't be read are noted, not damage: all
// readers skip them.
func (i *inspector) lines(path string, kind lineKind) (*Lines, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &Lines{}
	other := runid.ID(0)
	in := bufio.NewReaderSize(file, run.MaxLine)
	for number := 1; ; number++ {
		if err := i.ctx.Err(); err != nil {
			return nil, err
		}
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return f, nil
		case err == io.EOF:
			i.found.note(Finding{Path: path, Line: number, What: "the last line was cut off"})
			return f, nil
		case err == bufio.ErrBufferFull:
			i.passOver(f, path, number, fmt.Sprintf("longer than %d bytes", run.MaxLine))
			for err == bufio.ErrBufferFull {
				_, err = in.ReadSlice('\n')
			}
			if err == io.EOF {
				return f, nil
			}
			if err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, err
		}
		f.Lines++
		name, at, err := kind.read(line)
		if err != nil {
			f.Lines--
			i.passOver(f, path, number, err.Error())
			continue
		}
		// Not every line carries an identity; another run's is told once.
		if owner := kind.owner(); owner != 0 && owner != other && i.owner(path, number, owner) {
			other = owner
		}
		if at != nil {
			if f.First == nil {
				f.First = at
			}
			f.Last = at
		}
		f.count(name)
	}
}

func (i *inspector) passOver(f *Lines, path string, line int, why string) {
	f.PassedOver++
	i.found.note(Finding{
		Path: path, Line: line, What: "passed over by readers: " + strings.TrimSpace(why),
	})
}

// count counts a line. It distinguishes a limited number of kinds.
func (f *Lines) count(kind string) {
	if kind == "" {
		return
	}
	k := slices.Index(f.Kinds, kind)
	if k < 0 && len(f.Kinds) < most {
		k = len(f.Kinds)
		f.Kinds, f.Counts = append(f.Kinds, kind), append(f.Counts, 0)
	}
	if k >= 0 {
		f.Counts[k]++
	}
}
