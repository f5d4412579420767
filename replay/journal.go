package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"tengen/internal/runid"
	"tengen/vfs"
)

// RecordVersion is the newest version of an encoded game.
const RecordVersion = factsVersion

// AppendRecord appends a game as a record of a segment: a head with checksums, and a compressed encoding. It
// returns the error of Check.
func AppendRecord(dst []byte, g *Game) ([]byte, error) {
	var none allowance
	record, _, err := appendRecord(dst, nil, g, &none)
	return record, err
}

// DecodeRecords decodes records that AppendRecord has appended, at most limit. They must fill data, be whole, and
// have at most bytes bytes uncompressed in all.
func DecodeRecords(data []byte, limit, bytes int) ([]*Game, error) {
	var games []*Game
	allowed := newAllowance()
	for len(data) > 0 {
		if len(games) == limit {
			return nil, fmt.Errorf("more than %d records", limit)
		}
		if len(data) < recordHead || !validHead(data[:recordHead]) {
			return nil, fmt.Errorf("record %d: its head is cut off or fails its checksum", len(games))
		}
		length, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if uint64(length) > uint64(len(data)-recordHead) {
			return nil, fmt.Errorf("record %d has %d bytes, but %d are left", len(games), length, len(data)-recordHead)
		}
		payload := data[recordHead : recordHead+int(length)]
		if got := checksum(payload); got != sum {
			return nil, fmt.Errorf("record %d: its checksum is %#08x, but its head has %#08x", len(games), got, sum)
		}
		var h zstd.Header
		tooLarge := h.Decode(payload) == nil && h.HasFCS && h.FrameContentSize > uint64(bytes)
		var g *Game
		var raw []byte
		if !tooLarge {
			var err error
			if g, raw, err = decodePayload(payload, nil, &allowed); err != nil {
				return nil, fmt.Errorf("record %d: %w", len(games), err)
			}
		}
		if bytes -= len(raw); tooLarge || bytes < 0 {
			return nil, fmt.Errorf("record %d: the records have more than the bytes allowed uncompressed", len(games))
		}
		games = append(games, g)
		data = data[recordHead+int(length):]
	}
	return games, nil
}

// Journal keeps finished games that can't be appended to the Log yet, since games with smaller numbers are still
// played. It consists of files in a folder, in the format of segments, but with games in any order. It is used by one goroutine.
type Journal struct {
	// Run is the identity of the run, which the files carry that are begun from now on; 0: none.
	Run runid.ID

	fsys  vfs.FS
	dir   string
	files []*journalFile
	in    map[uint64]*journalFile // of the games that are not removed
	next  int
	file  vfs.File // the last of files, nil if none is open
	raw   []byte
}

type journalFile struct {
	path  string
	games int // that are not removed
	all   int
}

// journalGames is the number of games from which on a file of a Journal is followed by another.
const journalGames = 500

// OpenJournal opens the journal in a folder and creates the folder if necessary. It returns the games in it, and its damaged parts. A file
// or a game of another run than owner's is an error, which wraps runid.ErrStranger; files without an identity, of an earlier version, are
// judged by the seed of their games. If owner is nil, nothing is checked.
func OpenJournal(fsys vfs.FS, dir string, owner *Owner) (j *Journal, games []*Game, damages []*Damage, err error) {
	if err := vfs.MkdirAll(fsys, dir); err != nil {
		return nil, nil, nil, fmt.Errorf("open journal: %w", err)
	}
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open journal: %w", err)
	}
	j = &Journal{fsys: fsys, dir: dir, in: map[uint64]*journalFile{}}
	if owner != nil {
		j.Run = owner.Run
	}
	for _, s := range segments {
		j.next = s.Number + 1
		f := &journalFile{path: s.Path}
		r, err := OpenJournalFile(fsys, s.Path)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("open journal: %w", err)
		}
		for {
			g, err := r.Next()
			if d, ok := err.(*Damage); ok {
				damages = append(damages, d)
				continue
			}
			if err != nil {
				break
			}
			if owner != nil {
				if err := owner.checkJournal(r.Run(), g); err != nil {
					_ = r.Close()
					return nil, nil, nil, fmt.Errorf("%s: %w", s.Path, err)
				}
			}
			if j.in[g.Number] == nil {
				j.in[g.Number] = f
				f.games++
				games = append(games, g)
			}
		}
		if err := r.Close(); err != nil {
			return nil, nil, nil, fmt.Errorf("open journal: %w", err)
		}
		if f.games == 0 {
			// What is damaged in it was never acknowledged, or can't be read in any case.
			_ = fsys.RemoveAll(f.path)
			continue
		}
		j.files = append(j.files, f)
	}
	return j, games, damages, nil
}

// Add makes games durable. After an error none of them counts, and Add can be called again.
func (j *Journal) Add(games []*Game) error {
	if len(games) == 0 {
		return nil
	}
	f, fresh, err := j.current()
	if err != nil {
		return err
	}
	var data []byte
	if fresh {
		data = segmentHeader(j.Run)
	}
	for _, g := range games {
		var none allowance // a file of a journal may be read from anywhere
		if data, j.raw, err = appendRecord(data, j.raw, g, &none); err != nil {
			return err
		}
	}
	_, err = j.file.Write(data)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil && fresh {
		err = j.fsys.SyncDir(j.dir)
	}
	if err != nil {
		// It is unknown what is on disk: another file begins.
		_ = j.file.Close()
		j.file = nil
		if f.games == 0 {
			_ = j.fsys.RemoveAll(f.path)
			j.files = j.files[:len(j.files)-1]
		}
		return fmt.Errorf("journal %s: %w", f.path, err)
	}
	for _, g := range games {
		if j.in[g.Number] == nil {
			j.in[g.Number] = f
			f.games++
		}
		f.all++
	}
	return nil
}

// current returns the file that games are appended to.
func (j *Journal) current() (f *journalFile, fresh bool, err error) {
	if j.file != nil {
		if f = j.files[len(j.files)-1]; f.all < journalGames {
			return f, false, nil
		}
		err := j.file.Close()
		j.file = nil
		if err != nil {
			return nil, false, fmt.Errorf("journal %s: %w", f.path, err)
		}
	}
	f = &journalFile{path: filepath.Join(j.dir, segmentName(j.next))}
	if j.file, err = j.fsys.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		j.file = nil
		return nil, false, fmt.Errorf("journal: %w", err)
	}
	j.next++
	j.files = append(j.files, f)
	return f, true, nil
}

// Remove tells that a game is not needed any more. A file without any game that is needed is removed.
func (j *Journal) Remove(number uint64) error {
	f := j.in[number]
	if f == nil {
		return nil
	}
	delete(j.in, number)
	if f.games--; f.games > 0 {
		return nil
	}
	var err error
	for i, x := range j.files {
		if x != f {
			continue
		}
		if i == len(j.files)-1 && j.file != nil {
			err = j.file.Close()
			j.file = nil
		}
		j.files = append(j.files[:i:i], j.files[i+1:]...)
		break
	}
	if e := j.fsys.RemoveAll(f.path); err == nil && !errors.Is(e, fs.ErrNotExist) {
		err = e
	}
	return err
}

// Len returns the number of games that are not removed.
func (j *Journal) Len() int { return len(j.in) }

// Close closes the journal. Its games stay.
func (j *Journal) Close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}
