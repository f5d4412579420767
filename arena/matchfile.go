package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tengen/vfs/journal"
)

// MatchFile is the name of the file of a match's games in its folder.
const MatchFile = "match.jsonl"

const (
	matchFormat  = "tengen match"
	matchVersion = 1
	// recordVersion is the version of a game in JSON, if it has one.
	recordVersion = 1
)

// header is the first line of a match file. It identifies the match.
type header struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Game     string   `json:"game"`
	Players  []string `json:"players"`
	Networks []string `json:"networks,omitempty"` // as Tournament.Networks
	Seed     uint64   `json:"seed"`
	Opening  int      `json:"opening"`
	Alone    bool     `json:"alone,omitempty"`    // as Tournament.Alone
	Seatings [][]int  `json:"seatings,omitempty"` // of a Match that is no tournament's
	Paired   bool     `json:"paired,omitempty"`   // as Match.Paired
}

// read sets h from the first line of a match file.
func (h *header) read(line []byte) error {
	return journal.ReadHead(line, h, matchFormat, matchVersion)
}

// readLine reads a game from another line.
func readLine(line []byte) (Record, error) {
	var r Record
	if err := journal.Read(line, &r); err != nil {
		return r, err
	}
	if r.Number < 0 {
		return r, fmt.Errorf("a game can't have number %d", r.Number)
	}
	return r, nil
}

// readMatch reads a match file. damaged has an error for each line that is skipped. It returns an
// error if the first line does not identify a match.
func readMatch(data []byte) (h header, records []Record, damaged []error, err error) {
	damaged, err = journal.Lines(data, h.read, func(line []byte) error {
		r, err := readLine(line)
		if err == nil {
			records = append(records, r)
		}
		return err
	})
	return h, records, damaged, err
}

// ReadRecords reads the games of a match file, or of a file of JSON objects, one per game. Such
// objects need no checksum, and have at most maxObject bytes; those without a number are numbered
// from 0. damaged has an error for each line of a match file that is skipped.
func ReadRecords(data []byte) (records []Record, damaged []error, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the mark of some editors
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if journal.Read(first, &h) == nil && h.Format != "" {
		_, records, damaged, err = readMatch(data)
		return records, damaged, err
	}
	objects := &objectReader{data: data}
	decoder := json.NewDecoder(objects)
	for {
		objects.upTo = decoder.InputOffset() + maxObject
		var r struct {
			Record
			Version *int             `json:"version"`
			Number  *int             `json:"number"`
			Actions *json.RawMessage `json:"actions"`
		}
		switch err := decoder.Decode(&r); {
		case err == io.EOF && len(records) > 0:
			return records, nil, nil
		case err == io.EOF:
			return nil, nil, errors.New("it holds no game")
		case err != nil:
			return nil, nil, fmt.Errorf(`object %d of the file: %w; objects such as {"game": "go:size=5,players=3", "actions": [12, 7]} are wanted`, len(records)+1, err)
		case r.Version != nil && *r.Version != recordVersion:
			return nil, nil,
				fmt.Errorf("object %d of the file has version %d; this program reads version %d",
					len(records)+1, *r.Version, recordVersion)
		case r.Game == "" || r.Actions == nil:
			return nil, nil,
				fmt.Errorf(`object %d of the file: the fields "game" and "actions" are wanted`,
					len(records)+1)
		}
		if err := json.Unmarshal(*r.Actions, &r.Record.Actions); err != nil {
			return nil, nil,
				fmt.Errorf("object %d of the file: its actions: %w", len(records)+1, err)
		}
		r.Record.Number = len(records)
		if r.Number != nil {
			r.Record.Number = *r.Number
		}
		records = append(records, r.Record)
	}
}

// maxObject is the most bytes of a game in JSON and the white space before it. What an object costs
// in memory is a multiple of its size.
const maxObject = journal.MaxLine

// objectReader reads data up to an offset, which is moved after each object.
type objectReader struct {
	data []byte
	at   int64
	upTo int64
}

func (r *objectReader) Read(p []byte) (int, error) {
	if r.at == int64(len(r.data)) {
		return 0, io.EOF
	}
	end := min(r.upTo, int64(len(r.data)))
	if r.at == end {
		return 0, fmt.Errorf("it is longer than %d bytes", maxObject)
	}
	n := copy(p, r.data[r.at:end])
	r.at += int64(n)
	return n, nil
}
