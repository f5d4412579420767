package v1

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"sort"
	"strconv"
	"sync"

	"tengen/replay"
	"tengen/replay/record"
	"tengen/vfs"
)

// games finds games in a run's replay log. For each segment that was read it keeps the offsets of
// its records only. It is safe for concurrent use.
type games struct {
	dir string

	mu       sync.Mutex
	segments map[int]*segment
}

// segment is the index of one segment.
type segment struct {
	beginning [beginning]byte // of the file when it was looked at
	size      int64           // likewise
	offsets   []int64         // of its records, in order
	next      int64           // where the record after the last begins
	first     uint64          // number of the first game; noGame before it is known
}

// beginning is the number of bytes by which a segment can be told from one that takes its place:
// the header, and the head of the first record.
const beginning = 36

const noGame = math.MaxUint64

// maxSegments bounds the number of indexed segments.
const maxSegments = 4096

// errNoGame says that a game does not exist, or no longer.
var errNoGame = errors.New("there is no such game; the replay log may have let go of it")

// list returns up to n of the newest games with numbers below before, newest first.
// It skips damaged games and those that a later segment replaces.
func (x *games) list(before uint64, n int) ([]*record.Game, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	files, err := replay.Segments(vfs.OS{}, x.dir)
	if err != nil {
		return nil, err
	}
	var list []*record.Game
	bound := before // games from this number on are not wanted, or replaced
	for i := len(files) - 1; i >= 0 && len(list) < n; i-- {
		first, err := x.first(files[i])
		if err != nil {
			return nil, err
		}
		if first >= bound {
			continue
		}
		if err := x.visit(files[i], func(r *replay.Reader, s *segment) error {
			k, err := s.before(r, bound)
			for k--; err == nil && k >= 0 && len(list) < n; k-- {
				var g *record.Game
				g, err = at(r, s.offsets[k])
				if _, damaged := err.(*replay.Damage); damaged {
					err = nil
				} else if err == nil {
					list = append(list, g)
				}
			}
			return err
		}); err != nil {
			return nil, err
		}
		bound = first
	}
	return list, nil
}

// before returns the number of records before the first game whose number is at least bound.
func (s *segment) before(r *replay.Reader, bound uint64) (int, error) {
	var failed error
	k := sort.Search(len(s.offsets), func(k int) bool {
		for _, offset := range s.offsets[k:] {
			g, err := at(r, offset)
			if err == nil {
				return g.Number >= bound // numbers ascend within a segment
			}
			if _, damaged := err.(*replay.Damage); !damaged {
				failed = err
				break
			}
		}
		return true
	})
	return k, failed
}

// read returns the game of a number.
func (x *games) read(number uint64) (*record.Game, error) {
	list, err := x.list(number+1, 1)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].Number != number {
		return nil, errNoGame
	}
	return list[0], nil
}

// parseNumber returns the number of a game that text tells.
func parseNumber(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, refusef("%q: the number of a game is wanted", text)
	}
	return n, nil
}

// visit opens a segment, updates its index and calls look with both. It skips a segment that has
// just been removed.
func (x *games) visit(file replay.SegmentFile, look func(*replay.Reader, *segment) error) error {
	// The size first: what is added meanwhile is found the next time.
	info, err := os.Stat(file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := replay.OpenSegment(vfs.OS{}, file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	s, err := x.known(file)
	if err != nil {
		return err
	}
	if info.Size() < s.size {
		*s = segment{beginning: s.beginning, first: noGame}
	}
	if info.Size() != s.size {
		if err := s.scan(r); err != nil {
			return err
		}
		s.size = info.Size()
	}
	return look(r, s)
}

// first returns the number of a segment's first game, or noGame. It reads no other game.
func (x *games) first(file replay.SegmentFile) (uint64, error) {
	s, err := x.known(file)
	if errors.Is(err, fs.ErrNotExist) {
		return noGame, nil
	}
	if err != nil || s.first != noGame {
		return s.first, err
	}
	r, err := replay.OpenSegment(vfs.OS{}, file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return noGame, nil
	}
	if err != nil {
		return noGame, err
	}
	defer r.Close()
	for {
		g, err := r.Next()
		if _, damaged := err.(*replay.Damage); damaged {
			continue
		}
		if err == io.EOF {
			return noGame, nil
		}
		if err != nil {
			return noGame, err
		}
		s.first = g.Number
		return s.first, nil
	}
}

// known returns the index of a segment, which is empty if it has not been looked at, or if another
// file has taken its place.
func (x *games) known(file replay.SegmentFile) (*segment, error) {
	empty := &segment{first: noGame}
	f, err := os.Open(file.Path)
	if err != nil {
		return empty, err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, empty.beginning[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
		return empty, nil // nothing to remember yet
	} else if err != nil {
		return empty, err
	}
	s := x.segments[file.Number]
	if s == nil || s.beginning != empty.beginning {
		if x.segments == nil || len(x.segments) >= maxSegments {
			x.segments = map[int]*segment{}
		}
		s = empty
		x.segments[file.Number] = s
	}
	return s, nil
}

// scan indexes the records added since the last call.
func (s *segment) scan(r *replay.Reader) error {
	if s.next > 0 {
		r.MoveTo(s.next)
	}
	for {
		start := r.Offset()
		err := r.Skip()
		var damage *replay.Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &damage):
			if damage.Torn {
				// perhaps it is just being written: looked at again when the file has grown
				return nil
			}
			s.next = r.Offset()
		case err != nil:
			return err
		default:
			s.offsets = append(s.offsets, start)
			s.next = r.Offset()
		}
	}
}

func at(r *replay.Reader, offset int64) (*record.Game, error) {
	r.MoveTo(offset)
	return r.Next()
}
