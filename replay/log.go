package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// Log is a folder of segments that a process appends games to. A game is durable once a Commit
// after its Append has returned.
//
// A Log never appends to existing segments but begins a new one, so a torn tail of an
// earlier one is harmless. A segment whose first game has number n replaces all games
// from n on in the segments before it: a run that resumes from a checkpoint appends
// from the checkpoint's game on.
//
// A Log lists its folder once and keeps what it knows of each segment, so that nothing it does
// costs more in a folder of many segments, but Resume. Prune and Merge may each be called by one
// goroutine, and the other methods by a third.
type Log struct {
	// Run is the identity of the run, which the segments carry; 0: none.
	Run runid.ID

	fsys    vfs.FS
	dir     string
	perFile int
	made    bool     // the folder exists
	number  int      // of the next segment
	file    vfs.File // nil if no segment is open
	open    *part    // the open segment
	last    uint64   // number of the game appended last
	any     bool     // last is valid
	pending []byte
	dirty   bool // something was written or is pending since the last Commit
	err     error

	closed chan struct{} // receives a value after a segment was closed

	mu    sync.Mutex
	parts []*part // the segments but the open one, in order
	named bool    // the open segment's name is durable
}

// part is a segment of a Log's folder, and what is known of it.
type part struct {
	SegmentFile
	known known
	// whole says that it is of this run, and that nothing in it is damaged but perhaps its tail:
	// nothing is lost if its games are copied.
	whole bool
	inUse bool // it is being merged or removed

	games       int    // that can be read
	first, last uint64 // their least and greatest number; 0 without games
	bytes       int64
}

// known is how much is known of a part.
type known int

const (
	nothing    known = iota
	lastNumber       // games > 0 or not, and last
	unreadable       // it is of an unknown version
	everything
)

// OpenLog opens a folder for appending. Each segment has up to gamesPerSegment games. Neither the
// folder nor a segment is created before the first game.
func OpenLog(fsys vfs.FS, dir string, gamesPerSegment int) (*Log, error) {
	if gamesPerSegment < 1 {
		return nil, fmt.Errorf("open replay log: %d games a segment; must be at least 1",
			gamesPerSegment)
	}
	if err := vfs.Clean(fsys, dir); err != nil { // a merge that was cut short
		return nil, fmt.Errorf("open replay log: %w", err)
	}
	parts, err := partsOf(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("open replay log: %w", err)
	}
	l := &Log{
		fsys: fsys, dir: dir, perFile: gamesPerSegment, parts: parts,
		closed: make(chan struct{}, 1),
	}
	if n := len(parts); n > 0 {
		l.number = parts[n-1].Number + 1
	}
	return l, nil
}

// partsOf returns the segments of a folder, of which nothing is known.
func partsOf(fsys vfs.FS, dir string) ([]*part, error) {
	segments, err := Segments(fsys, dir)
	var parts []*part
	for _, s := range segments {
		parts = append(parts, &part{SegmentFile: s})
	}
	return parts, err
}

// Append appends a game, whose number must be greater than the one before. After an
// error of the file system the Log is unusable until Reopen.
func (l *Log) Append(g *record.Game) error {
	if l.err != nil {
		return l.err
	}
	if l.any && g.Number <= l.last {
		return fmt.Errorf("replay log: game %d follows game %d", g.Number, l.last)
	}
	if l.file != nil && l.open.games >= l.perFile {
		if err := l.closeSegment(); err != nil {
			return err
		}
	}
	data, err := record.Append(l.pending, g)
	if err != nil {
		return err // the record is invalid; the log is still usable
	}
	if l.file == nil {
		if err := l.openSegment(); err != nil {
			return err
		}
		data = append(segmentHeader(l.Run), data...)
	}
	l.open.bytes += int64(len(data) - len(l.pending))
	l.pending, l.dirty = data, true
	l.open.count(g.Number)
	l.last, l.any = g.Number, true
	if len(l.pending) >= 1<<20 {
		return l.flush()
	}
	return nil
}

// Commit makes all games appended so far durable.
func (l *Log) Commit() error {
	if l.err != nil || !l.dirty {
		return l.err
	}
	if err := l.flush(); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return l.fail(fmt.Errorf("sync: %w", err))
	}
	if !l.named {
		if err := l.fsys.SyncDir(l.dir); err != nil {
			return l.fail(fmt.Errorf("sync its folder: %w", err))
		}
		l.setNamed(true)
	}
	l.dirty = false
	return nil
}

// Reopen makes a Log usable again after an error of the file system. The games that no Commit has
// made durable must be appended again; they begin a new segment.
func (l *Log) Reopen() {
	l.err, l.any, l.made = nil, false, false
}

// Close commits and closes the open segment. The next Append begins another.
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
	if err := l.file.Close(); err != nil {
		l.file = nil
		return l.fail(err)
	}
	l.open.known, l.open.whole = everything, true
	l.letGo()
	return nil
}

// letGo adds the open segment to those that nobody appends to.
func (l *Log) letGo() {
	l.mu.Lock()
	l.parts = append(l.parts, l.open)
	l.named = false
	l.mu.Unlock()
	l.file, l.open = nil, nil
	select {
	case l.closed <- struct{}{}:
	default:
	}
}

func (l *Log) setNamed(named bool) {
	l.mu.Lock()
	l.named = named
	l.mu.Unlock()
}

func (l *Log) openSegment() error {
	path := filepath.Join(l.dir, segmentName(l.number))
	if !l.made {
		if err := vfs.MkdirAll(l.fsys, l.dir); err != nil {
			return l.failed(path, err)
		}
		l.made = true
	}
	f, err := l.fsys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		l.file, l.open = f, &part{SegmentFile: SegmentFile{l.number, path}}
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		l.number++
	}
	if err != nil {
		return l.failed(path, err)
	}
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

// fail makes the log unusable, since the state on disk of the open segment after a failed write or
// fsync is unknown. It tries to remove the segment if no Commit of it has returned.
func (l *Log) fail(err error) error {
	path := l.open.Path
	if l.file != nil {
		_ = l.file.Close() // return the first error
	}
	// None of the games of a new segment is durable, and a full disk may need the space.
	if l.named || l.fsys.RemoveAll(path) != nil {
		l.open.games, l.open.first, l.open.last = 0, 0, 0 // it is read when they are needed
		l.letGo()
	}
	return l.failed(path, err)
}

func (l *Log) failed(path string, err error) error {
	l.err = fmt.Errorf("replay segment %s: %w", path, err)
	l.file, l.open, l.pending, l.dirty = nil, nil, l.pending[:0], false
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

func sortSegments(list []SegmentFile) {
	slices.SortFunc(list, func(a, b SegmentFile) int { return cmp.Compare(a.Number, b.Number) })
}

// sync makes a folder durable: the contents of the newest segment, to which a killed
// process may have written without a Commit, and the names of all segments. Earlier
// segments are durable already, since a Log commits one before it begins the next.
func (l *Log) sync() error {
	if len(l.parts) == 0 {
		return nil
	}
	path := l.parts[len(l.parts)-1].Path
	f, err := l.fsys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("sync replay: %w", err)
	}
	err = f.Sync()
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = l.fsys.SyncDir(l.dir)
	}
	if err != nil {
		return fmt.Errorf("sync replay segment %s: %w", path, err)
	}
	return nil
}
