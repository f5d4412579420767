package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/arena"
	"tengen/game"
)

// foundMatch is what a match file, or a file of games in JSON, holds.
type foundMatch struct {
	Games    int      `json:"games"`
	Twice    int      `json:"twice"` // games whose number another one before has
	Actions  int      `json:"actions"`
	Of       []string `json:"of"`                // names of the games played
	Players  []string `json:"players,omitempty"` // of the match
	Seed     *uint64  `json:"seed,omitempty"`
	Opening  *int     `json:"opening,omitempty"`
	Finished int      `json:"finished"` // games with a result
}

func (f *foundMatch) figures() []figure {
	list := []figure{{"games", fmt.Sprintf("%d, %d with a result", f.Games, f.Finished)}, {"actions", grouped(float64(f.Actions))}}
	for _, name := range f.Of {
		list = append(list, figure{"game", inLine(name)})
	}
	for _, name := range f.Players {
		list = append(list, figure{"player", inLine(name)})
	}
	if f.Seed != nil && f.Opening != nil {
		list = append(list, figure{"seed, opening", fmt.Sprintf("%d, %d decisions", *f.Seed, *f.Opening)})
	}
	if f.Twice > 0 {
		list = append(list, figure{"recorded twice", fmt.Sprint(f.Twice)})
	}
	return list
}

// match looks at a match file, its folder, or a file of games in JSON.
func (i *inspector) match(path string) error {
	path = matchPath(path)
	data, err := readWhole(path)
	if err != nil {
		return err
	}
	f := &foundMatch{}
	i.found.Match = f
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		i.found.damaged(finding{Path: path, What: err.Error()})
		return nil
	}
	for _, err := range damaged {
		i.found.damaged(finding{Path: path, What: err.Error()})
	}
	if i.found.Kind == kindMatch {
		i.matchHeader(path, data, f)
	}
	f.Games = len(records)
	seen := map[int]bool{}
	games := map[string]game.Game{} // nil: not known
	for k := range records {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		r := &records[k]
		if seen[r.Number] {
			f.Twice++
		}
		seen[r.Number] = true
		f.Actions += len(r.Actions)
		if r.Scores != nil || r.Returns != nil {
			f.Finished++
		}
		g, known := games[r.Game]
		if !known && len(games) < most {
			if g, err = game.New(r.Game); err != nil {
				i.found.note(finding{Path: path, What: fmt.Sprintf("game %d is not checked: %v", r.Number, err)})
				g = nil
			}
			games[r.Game] = g
			f.Of = append(f.Of, r.Game)
		}
		if g == nil {
			continue
		}
		if err := r.Replay(g, nil); err != nil {
			i.found.damaged(finding{Path: path, What: err.Error()})
		}
	}
	return nil
}

// matchHeader takes what the first line says, and notes a last line that was cut off.
func (i *inspector) matchHeader(path string, data []byte, f *foundMatch) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var h struct {
		Format  string   `json:"format"`
		Players []string `json:"players"`
		Seed    *uint64  `json:"seed"`
		Opening *int     `json:"opening"`
	}
	if json.Unmarshal(first, &h) == nil && h.Format != "" {
		f.Players, f.Seed, f.Opening = h.Players, h.Seed, h.Opening
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		i.found.note(finding{Path: path, What: "the last line was cut off: its game is played again"})
	}
}

// matchPath is the match file at path, which may be its folder.
func matchPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, arena.MatchFile)
	}
	return path
}

// foundLines is what a log of JSON lines holds, for people and pictures: nothing depends on it.
type foundLines struct {
	Lines      int        `json:"lines"`
	PassedOver int        `json:"passed_over"` // lines that can't be read
	First      *time.Time `json:"first,omitempty"`
	Last       *time.Time `json:"last,omitempty"`
	Kinds      []string   `json:"kinds,omitempty"` // of the lines, in order of appearance
	Counts     []int      `json:"counts,omitempty"`
}

func (f *foundLines) figures(name string) []figure {
	text := fmt.Sprintf("%s lines", grouped(float64(f.Lines)))
	for k, kind := range f.Kinds {
		separator := ", "
		if k == 0 {
			separator = ": "
		}
		text += fmt.Sprintf("%s%d %s", separator, f.Counts[k], inLine(kind))
	}
	list := []figure{{name, text}}
	if f.Last != nil {
		list = append(list, figure{"", fmt.Sprintf("from %s to %s", f.First.UTC().Format(time.RFC3339), f.Last.UTC().Format(time.RFC3339))})
	}
	return list
}

// lineKind is one line of a log.
type lineKind interface {
	// read takes a line over from JSON, into this value; kind is what the log counts it as.
	read(line []byte) (kind string, at *time.Time, err error)
}

// eventLine is a line of events.jsonl.
type eventLine struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
}

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
}

func (e *evaluationLine) read(line []byte) (string, *time.Time, error) {
	*e = evaluationLine{}
	err := json.Unmarshal(line, e)
	if err == nil && (e.Evaluation == nil || len(e.Players) == 0 || len(e.Players) != len(e.Scores)) {
		err = errors.New(`the fields "evaluation", "players" and, for each of them, "scores" are wanted`)
	}
	return "", nil, err
}

// maxLine is the length, in bytes, up to which a line of a log is read.
const maxLine = 1 << 20

// lines reads a log of JSON lines. Lines that can't be read are notes: whoever
// reads such a log passes over them.
func (i *inspector) lines(path string, kind lineKind) (*foundLines, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &foundLines{}
	in := bufio.NewReaderSize(file, maxLine)
	for number := 1; ; number++ {
		if err := i.ctx.Err(); err != nil {
			return nil, err
		}
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return f, nil
		case err == io.EOF:
			i.found.note(finding{Path: path, Line: number, What: "the last line was cut off"})
			return f, nil
		case err == bufio.ErrBufferFull:
			i.passOver(f, path, number, fmt.Sprintf("longer than %d bytes", maxLine))
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
		if at != nil {
			if f.First == nil {
				f.First = at
			}
			f.Last = at
		}
		f.count(name)
	}
}

func (i *inspector) passOver(f *foundLines, path string, line int, why string) {
	f.PassedOver++
	i.found.note(finding{Path: path, Line: line, What: "passed over by readers: " + strings.TrimSpace(why)})
}

// count counts a line of a kind, of which few are kept apart.
func (f *foundLines) count(kind string) {
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
