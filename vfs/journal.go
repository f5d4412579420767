package vfs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Journal keeps finished pieces of work, such as the games of a match, in a file of JSON lines, so
// that after a kill or a power failure only the missing ones are done. It is used by one goroutine
// and one process at a time. The file grows only; lines are not ordered.
//
// Each line is a sealed JSON object: its last field, "crc", is the CRC-32C (Castagnoli) of all
// bytes before the comma that precedes it, as eight lower-case hexadecimal digits. The first line
// says what the file belongs to.
//
//	// calls accept with each line that is sound
//	j, err := vfs.OpenJournal(fsys, "m/match.jsonl", &head, same, accept)
//	err = j.Add(&game) // durable when it returns
//
// A line that was cut off by a kill is removed without a report.
type Journal struct {
	// Damaged has an error for each line that was skipped.
	Damaged []error

	file File
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns the end of a line that begins with text.
func seal(text []byte) string {
	return fmt.Sprintf(`,"crc":"%08x"}`, crc32.Checksum(text, castagnoli))
}

var sealSize = len(seal(nil))

// MaxLine is the most bytes of a line, newline and checksum included. What a line costs in memory
// is a multiple of its size.
const MaxLine = 2 << 20

// AppendLine appends v, a JSON object with at least one field, as a sealed line with its newline. A
// line longer than MaxLine is an error.
func AppendLine(dst []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	if n := len(text) + sealSize + 1; n > MaxLine {
		return nil, fmt.Errorf("a line of %d bytes; the maximum is %d", n, MaxLine)
	}
	dst = append(append(dst, text...), seal(text)...)
	return append(dst, '\n'), nil
}

// ErrSeal is returned for lines without their checksum.
var ErrSeal = errors.New("its checksum is wrong or missing")

// ReadLine reads a sealed line, without its newline, into v.
func ReadLine(line []byte, v any) error {
	if len(line) >= MaxLine {
		return fmt.Errorf("it is longer than %d bytes", MaxLine)
	}
	text := line[:max(0, len(line)-sealSize)]
	if string(line[len(text):]) != seal(text) {
		return ErrSeal
	}
	return json.Unmarshal(line, v)
}

// ReadHead reads the first line of a journal into head, and returns an error unless its fields
// "format" and "version" are these.
func ReadHead(line []byte, head any, format string, version int) error {
	if err := ReadLine(line, head); err != nil {
		return fmt.Errorf("line 1, which identifies the match, can't be read: %w", err)
	}
	var is struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := ReadLine(line, &is); err != nil {
		return err
	}
	if is.Format != format || is.Version != version {
		return fmt.Errorf("line 1 says format %q, version %d; this program reads %q, version %d",
			is.Format, is.Version, format, version)
	}
	return nil
}

// maxDamaged is how many lines ReadLines describes. It counts the others, so that a file of
// short lines costs little memory.
const maxDamaged = 1000

// ReadLines calls first with the first line of a journal, and each with the others, all without
// newlines. An error of first is returned. Lines of which each returns an error are skipped:
// damaged has that error with the line's number, except for a last line that was cut off, since a
// kill leaves such a line. Of more than a thousand such lines the last error has the number of the
// others.
func ReadLines(data []byte, first, each func(line []byte) error) (damaged []error, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := first(line); err != nil {
		return nil, err
	}
	more := 0
	for number := 2; len(rest) > 0; number++ {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		err := each(line)
		if err == nil || !whole {
			continue
		}
		if len(damaged) == maxDamaged {
			more++
		} else {
			damaged = append(damaged, fmt.Errorf("line %d is skipped: %w", number, err))
		}
	}
	if more > 0 {
		damaged = append(damaged, fmt.Errorf("%d more lines are skipped", more))
	}
	return damaged, nil
}

// ErrDuplicate is returned by OpenJournal's accept for a line that is left out without a report.
var ErrDuplicate = errors.New("it is there already")

// OpenJournal opens the journal at path, and creates it and its folder if necessary. head is its
// first line if it is new; otherwise same gets the first line, and an error that it returns is
// OpenJournal's: the file is then left as it is. accept gets each further line, which it reads
// by [ReadLine]. If it returns an error, the line is removed from the file, and reported unless
// the error is ErrDuplicate.
func OpenJournal(
	fsys FS, path string, head any, same, accept func(line []byte) error,
) (*Journal, error) {
	sound, err := AppendLine(nil, head)
	if err != nil {
		return nil, err
	}
	if err := MkdirAll(fsys, filepath.Dir(path)); err != nil {
		return nil, err
	}
	data, err := ReadFile(fsys, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &Journal{}
	if !bytes.HasPrefix(sound, data) { // else it is empty, or its first line is incomplete
		damaged, err := ReadLines(data, same, func(line []byte) error {
			switch err := accept(line); err {
			case nil:
				sound = append(append(sound, line...), '\n')
				return nil
			case ErrDuplicate:
				return nil
			default:
				return err
			}
		})
		if err != nil {
			return nil, err
		}
		for _, err := range damaged {
			j.Damaged = append(j.Damaged, fmt.Errorf("%s: %w", path, err))
		}
	}
	if !bytes.Equal(data, sound) {
		err := WriteFile(fsys, path, func(w io.Writer) error {
			_, err := w.Write(sound)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if j.file, err = fsys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return nil, err
	}
	return j, nil
}

// Add appends a line for each value. It returns once they are durable.
func (j *Journal) Add(values ...any) error {
	var text []byte
	for _, v := range values {
		var err error
		if text, err = AppendLine(text, v); err != nil {
			return err
		}
	}
	if _, err := j.file.Write(text); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}

// Close closes the file. All added lines are durable already.
func (j *Journal) Close() error { return j.file.Close() }
