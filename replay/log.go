package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// Log appends games to segments in a folder. A game is durable once a Commit after its
// Append has returned.
//
// A Log never modifies existing segments but begins a new one, so a torn tail of an
// earlier one is harmless. A segment whose first game has number n replaces all games
// from n on in the segments before it: a run that resumes from a checkpoint appends
// from the checkpoint's game on.
type Log struct {
	// Run is the identity of the run, which the segments carry; 0: none.
	Run runid.ID

	fsys    vfs.FS
	dir     string
	perFile int
	segment int      // number of the next segment
	file    vfs.File // nil if no segment is open
	path    string   // of the open segment
	games   int      // in the open segment
	last    uint64
	any     bool // last is valid
	allowed record.Allowance
	pending []byte
	raw     []byte
	fresh   bool // the open segment's name is not durable yet
	err     error
}

// OpenLog opens a folder for appending, and creates it if necessary. Each segment has
// up to gamesPerSegment games. No segment is created before the first game.
func OpenLog(fsys vfs.FS, dir string, gamesPerSegment int) (*Log, error) {
	if gamesPerSegment < 1 {
		return nil, fmt.Errorf("open replay log: %d games a segment; must be at least 1",
			gamesPerSegment)
	}
	if err := vfs.MkdirAll(fsys, dir); err != nil {
		return nil, fmt.Errorf("open replay log: %w", err)
	}
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("open replay log: %w", err)
	}
	l := &Log{fsys: fsys, dir: dir, perFile: gamesPerSegment}
	if n := len(segments); n > 0 {
		l.segment = segments[n-1].Number + 1
	}
	return l, nil
}

// Append appends a game, whose number must be greater than the one before. After an
// error of the file system the Log is unusable; the folder can be opened again.
func (l *Log) Append(g *record.Game) error {
	if l.err != nil {
		return l.err
	}
	if l.any && g.Number <= l.last {
		return fmt.Errorf("replay log: game %d follows game %d", g.Number, l.last)
	}
	if l.file != nil && l.games >= l.perFile {
		if err := l.closeSegment(); err != nil {
			return err
		}
	}
	if l.file == nil {
		l.allowed = record.NewAllowance()
	}
	data, raw, err := record.AppendWithin(l.pending, l.raw, g, &l.allowed)
	l.raw = raw
	if err != nil {
		return err // the record is invalid; the log is still usable
	}
	if l.file == nil {
		if err := l.openSegment(); err != nil {
			return err
		}
		data = append(segmentHeader(l.Run), data...)
	}
	l.pending = data
	l.games++
	l.last, l.any = g.Number, true
	if len(l.pending) >= 1<<20 {
		return l.flush()
	}
	return nil
}

// Commit makes all games appended so far durable.
func (l *Log) Commit() error {
	if l.err != nil || l.file == nil {
		return l.err
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return l.fail(fmt.Errorf("sync: %w", err))
	}
	if l.fresh {
		if err := l.fsys.SyncDir(l.dir); err != nil {
			return l.fail(fmt.Errorf("sync its folder: %w", err))
		}
		l.fresh = false
	}
	return nil
}

// Close commits and closes the log.
func (l *Log) Close() error {
	if l.err != nil || l.file == nil {
		return l.err
	}
	return l.closeSegment()
}

func (l *Log) closeSegment() error {
	if err := l.Commit(); err != nil {
		return err
	}
	f := l.file
	l.file = nil
	if err := f.Close(); err != nil {
		return l.fail(err)
	}
	return nil
}

func (l *Log) openSegment() error {
	l.path = filepath.Join(l.dir, segmentName(l.segment))
	f, err := l.fsys.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return l.fail(err)
	}
	l.file, l.fresh, l.games = f, true, 0
	l.segment++
	return nil
}

func (l *Log) flush() error {
	if len(l.pending) == 0 {
		return nil
	}
	if _, err := l.file.Write(l.pending); err != nil {
		return l.fail(err)
	}
	l.pending = l.pending[:0]
	return nil
}

// fail makes the log unusable, since the state on disk after a failed write or fsync is
// unknown. It tries to remove the segment if no Commit of it has returned.
func (l *Log) fail(err error) error {
	l.err = fmt.Errorf("replay segment %s: %w", l.path, err)
	if l.file != nil {
		_ = l.file.Close() // return the first error
		l.file = nil
	}
	if l.fresh {
		// None of its games is durable, and a full disk may need the space.
		_ = l.fsys.RemoveAll(l.path)
		l.fresh = false
	}
	return l.err
}

func segmentName(n int) string { return fmt.Sprintf("%06d%s", n, Extension) }

// SegmentFile is a segment in a folder.
type SegmentFile struct {
	Number int
	Path   string
}

// Segments returns the segments of a folder in order of number; none if there is no such folder.
func Segments(fsys vfs.FS, dir string) ([]SegmentFile, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list segments: %w", err)
	}
	var list []SegmentFile
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), Extension)
		n, err := strconv.Atoi(base)
		// Ignore names such as 17.games, which Log does not write.
		if ok && err == nil && n >= 0 && e.Name() == segmentName(n) {
			list = append(list, SegmentFile{n, filepath.Join(dir, e.Name())})
		}
	}
	sortSegments(list)
	return list, nil
}

// Load returns the last capacity games with numbers below before, in order of number,
// each number once. It skips damaged parts and returns them in damages. An error means
// that the folder or a file could not be read.
func Load(
	fsys vfs.FS, dir string, before uint64, capacity int,
) (games []*record.Game, damages []*Damage, err error) {
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	// Go from the newest segment back: a later segment replaces the games from its
	// first number on in earlier ones.
	for i := len(segments) - 1; i >= 0 && len(games) < capacity; i-- {
		part, first, bad, err := readSegment(fsys, segments[i].Path, before)
		if err != nil {
			return nil, nil, err
		}
		damages = append(damages, bad...)
		before = min(before, first)
		games = append(part, games...)
	}
	return games[max(0, len(games)-capacity):], damages, nil
}

// readSegment returns the games with numbers below before, and the number of the segment's first
// game.
func readSegment(
	fsys vfs.FS, path string, before uint64,
) (games []*record.Game, first uint64, damages []*Damage, err error) {
	r, err := OpenSegment(fsys, path)
	if err != nil {
		return nil, 0, nil, err
	}
	first = before
	for {
		g, e := r.Next()
		if d, ok := e.(*Damage); ok {
			damages = append(damages, d)
			continue
		}
		if e != nil {
			if e != io.EOF {
				err = e
			}
			break
		}
		first = min(first, g.Number)
		if g.Number < before {
			games = append(games, g)
		}
	}
	if e := r.Close(); err == nil && e != nil {
		err = fmt.Errorf("read segment %s: %w", path, e)
	}
	return games, first, damages, err
}

func sortSegments(list []SegmentFile) {
	slices.SortFunc(list, func(a, b SegmentFile) int { return cmp.Compare(a.Number, b.Number) })
}

// Sync makes a folder durable: the contents of the newest segment, to which a killed
// process may have written without a Commit, and the names of all segments. Earlier
// segments are durable already, since a Log commits one before it begins the next.
//
// Call Sync when resuming a run, before relying on what Load returns: otherwise games
// that Load read from the page cache, and that a checkpoint counts since, could be lost
// in a power cut. Sync does nothing if there is no such folder.
func Sync(fsys vfs.FS, dir string) error {
	segments, err := Segments(fsys, dir)
	if err != nil || len(segments) == 0 {
		return err
	}
	path := segments[len(segments)-1].Path
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("sync replay: %w", err)
	}
	err = f.Sync()
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("sync replay segment %s: %w", path, err)
	}
	return nil
}
