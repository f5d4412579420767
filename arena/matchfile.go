package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
)

// MatchFile is the name of the file of a tournament's games in its folder.
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
	Alone    bool     `json:"alone,omitempty"` // as Tournament.Alone
}

// castagnoli is the polynomial of all checksums of tengen's files.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A sealed line is a JSON object whose last field is the checksum of all bytes
// before the comma that precedes it.
const (
	sealStart = `,"crc":"`
	sealSize  = len(sealStart) + 8 + len(`"}`)
)

// appendSealed appends v, a JSON object with at least one field, as a sealed
// line with its newline.
func appendSealed(dst []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	dst = append(dst, text...)
	return fmt.Appendf(dst, "%s%08x\"}\n", sealStart, crc32.Checksum(text, castagnoli)), nil
}

var errDamaged = errors.New("its checksum is wrong or missing")

// openSealed reads a sealed line, without its newline, into v.
func openSealed(line []byte, v any) error {
	n := len(line) - sealSize
	if n < 1 || !bytes.HasPrefix(line[n:], []byte(sealStart)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return errDamaged
	}
	sum, err := strconv.ParseUint(string(line[n+len(sealStart):len(line)-2]), 16, 32)
	if err != nil || uint32(sum) != crc32.Checksum(line[:n], castagnoli) {
		return errDamaged
	}
	return json.Unmarshal(line, v)
}

// readMatch reads a match file. damaged has an error for each line that is skipped, except for
// a last line that was cut off, since a kill leaves such a line. It returns an error if the
// first line does not identify a match.
func readMatch(data []byte) (h header, records []Record, damaged []error, err error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := openSealed(first, &h); err != nil {
		return h, nil, nil, fmt.Errorf("line 1, which identifies the match, can't be read: %w", err)
	}
	if h.Format != matchFormat || h.Version != matchVersion {
		return h, nil, nil, fmt.Errorf("line 1 says format %q, version %d; this program reads %q, version %d", h.Format, h.Version, matchFormat, matchVersion)
	}
	for number := 2; len(rest) > 0; number++ {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		var r Record
		err := openSealed(line, &r)
		switch {
		case err == nil && r.Number >= 0:
			records = append(records, r)
		case whole:
			if err == nil {
				err = fmt.Errorf("a game can't have number %d", r.Number)
			}
			damaged = append(damaged, fmt.Errorf("line %d is skipped: %w", number, err))
		}
	}
	return h, records, damaged, nil
}

// ReadRecords reads the games of a match file, or of a file of JSON objects, one per game. Such
// objects need no checksum; those without a number are numbered from 0. damaged has an error
// for each line of a match file that is skipped.
func ReadRecords(data []byte) (records []Record, damaged []error, err error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if openSealed(first, &h) == nil && h.Format != "" {
		_, records, damaged, err = readMatch(data)
		return records, damaged, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
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
			return nil, nil, fmt.Errorf("object %d of the file has version %d; this program reads version %d", len(records)+1, *r.Version, recordVersion)
		case r.Game == "" || r.Actions == nil:
			return nil, nil, fmt.Errorf(`object %d of the file: the fields "game" and "actions" are wanted`, len(records)+1)
		}
		if err := json.Unmarshal(*r.Actions, &r.Record.Actions); err != nil {
			return nil, nil, fmt.Errorf("object %d of the file: its actions: %w", len(records)+1, err)
		}
		r.Record.Number = len(records)
		if r.Number != nil {
			r.Record.Number = *r.Number
		}
		records = append(records, r.Record)
	}
}
