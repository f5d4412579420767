package v1

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
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
	size    int64   // of the file when it was looked at
	offsets []int64 // of its records, in order
	next    int64   // where the record after the last begins
	first   uint64  // number of the first game; noGame before it is known
}

const noGame = math.MaxUint64

// maxSegments bounds the number of indexed segments.
const maxSegments = 4096

// place is the position of a game: its segment and its index in the segment, as in "17.249".
type place struct{ segment, index int }

func (p place) String() string { return fmt.Sprintf("%d.%d", p.segment, p.index) }

func parsePlace(text string) (place, error) {
	a, b, _ := strings.Cut(text, ".")
	s, err := strconv.Atoi(a)
	i, err2 := strconv.Atoi(b)
	if err != nil || err2 != nil || s < 0 || i < 0 {
		return place{}, fmt.Errorf("%q is no place of a game; one such as 17.249 is wanted", text)
	}
	return place{s, i}, nil
}

// errNoGame says that a game does not exist, or no longer.
var errNoGame = errors.New("there is no such game; the replay log may have let go of it")

// found is a game and its place.
type found struct {
	place
	game *record.Game
}

// list returns up to n of the newest games before a place, newest first; nil is after all games.
// It skips damaged games and those that a later segment replaces.
func (x *games) list(before *place, n int) ([]found, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	files, err := replay.Segments(vfs.OS{}, x.dir)
	if err != nil {
		return nil, err
	}
	var list []found
	bound := uint64(noGame) // games from this number on are replaced
	for i := len(files) - 1; i >= 0 && len(list) < n; i-- {
		file := files[i]
		last := math.MaxInt
		switch {
		case before != nil && file.Number > before.segment:
			first, err := x.first(file)
			if err != nil {
				return nil, err
			}
			bound = min(bound, first)
			continue
		case before != nil && file.Number == before.segment:
			last = before.index
		}
		err := x.visit(file, func(r *replay.Reader, s *segment) error {
			for k := min(last, len(s.offsets)) - 1; k >= 0 && len(list) < n; k-- {
				g, err := at(r, s.offsets[k])
				if _, damaged := err.(*replay.Damage); damaged {
					continue
				}
				if err != nil {
					return err
				}
				if g.Number < bound {
					list = append(list, found{place{file.Number, k}, g})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		first, err := x.first(file)
		if err != nil {
			return nil, err
		}
		bound = min(bound, first)
	}
	return list, nil
}

// read returns the game at a place.
func (x *games) read(p place) (g *record.Game, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	files, err := replay.Segments(vfs.OS{}, x.dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if file.Number != p.segment {
			continue
		}
		err = x.visit(file, func(r *replay.Reader, s *segment) error {
			if p.index < len(s.offsets) {
				g, err = at(r, s.offsets[p.index])
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if g == nil {
		return nil, errNoGame
	}
	return g, nil
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
	s := x.known(file.Number)
	if info.Size() < s.size {
		*s = segment{first: noGame}
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
	s := x.known(file.Number)
	if s.first != noGame {
		return s.first, nil
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

// known returns the index of a segment, which may be empty.
func (x *games) known(number int) *segment {
	s := x.segments[number]
	if s == nil {
		if x.segments == nil || len(x.segments) >= maxSegments {
			x.segments = map[int]*segment{}
		}
		s = &segment{first: noGame}
		x.segments[number] = s
	}
	return s
}

// find returns the place of the game with a number, or of the one before it if that is missing.
func (x *games) find(number uint64) (p place, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	files, err := replay.Segments(vfs.OS{}, x.dir)
	if err != nil {
		return place{}, err
	}
	for i := len(files) - 1; i >= 0; i-- {
		first, err := x.first(files[i])
		if err != nil {
			return place{}, err
		}
		if first == noGame || first > number {
			continue
		}
		p = place{segment: files[i].Number}
		err = x.visit(files[i], func(r *replay.Reader, s *segment) error {
			for k, offset := range s.offsets {
				g, err := at(r, offset)
				if _, damaged := err.(*replay.Damage); damaged {
					continue
				}
				if err != nil || g.Number > number {
					return err // numbers ascend within a segment
				}
				p.index = k
			}
			return nil
		})
		return p, err
	}
	return place{}, errNoGame
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
