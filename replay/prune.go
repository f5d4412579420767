package replay

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"tengen/vfs"
)

// Prune removes the oldest segments of a folder: as many from the front as hold
// only games with numbers below before. It returns their paths, also beside an
// error. What stays:
//
//   - the newest segment, always: its number is where the next Log goes on;
//   - all segments behind one that stays, so that none which replaces games of
//     an earlier one goes before that one: a replaced game never comes back;
//   - a segment in which nothing can be read, until a later one goes that holds games;
//   - a segment of a version that this program does not read.
//
// Load gives the games from before on as if Prune had not been called. That
// holds after a crash at any moment too: segments go one by one, the oldest
// first, and each removal is made durable before the next.
//
// A segment is judged by the last of its records that is sound, found by the
// records' heads: the numbers of a segment rise. So neither time nor memory
// depends on what the games hold. The Log that writes to the folder may be open.
func Prune(fsys vfs.FS, dir string, before uint64) (removed []string, err error) {
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("prune replay: %w", err)
	}
	n := 0 // segments to remove
	for i := range max(0, len(segments)-1) {
		last, any, err := lastNumber(fsys, segments[i].Path)
		if errors.Is(err, ErrVersion) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("prune replay: %w", err)
		}
		if any && last >= before {
			break
		}
		if any {
			n = i + 1
		}
	}
	for _, s := range segments[:n] {
		if err := fsys.RemoveAll(s.Path); err != nil {
			return removed, fmt.Errorf("prune replay: remove %s: %w", s.Path, err)
		}
		removed = append(removed, s.Path)
		if err := fsys.SyncDir(filepath.Dir(s.Path)); err != nil {
			return removed, fmt.Errorf("prune replay: remove %s: sync its folder: %w", s.Path, err)
		}
	}
	return removed, nil
}

// remembered is how many records at a segment's end lastNumber looks at before
// it reads the segment from its start.
const remembered = 64

// lastNumber is the number of the last game of a segment that can be read; any
// is false where there is none. The error wraps ErrVersion where the segment is
// of another version.
func lastNumber(fsys vfs.FS, path string) (last uint64, any bool, err error) {
	r, err := OpenSegment(fsys, path)
	if err != nil {
		return 0, false, err
	}
	defer func() {
		if e := r.Close(); err == nil && e != nil {
			err = fmt.Errorf("read segment %s: %w", path, e)
		}
	}()
	var ends [remembered]span
	n := 0
	for {
		s, err := r.find()
		var d *Damage
		switch {
		case err == io.EOF:
			return r.lastOf(ends[:], n)
		case errors.As(err, &d) && errors.Is(d.Err, ErrVersion):
			return 0, false, d
		case errors.As(err, &d):
			if r.size == 0 {
				return 0, false, nil
			}
			continue
		case err != nil:
			return 0, false, fmt.Errorf("read segment %s: %w", path, err)
		}
		ends[n%remembered] = s
		n++
		r.pos += s.whole()
	}
}

// lastOf is the number of the last sound one of n records, of which ends holds
// the last ones, in turn.
func (r *Reader) lastOf(ends []span, n int) (last uint64, any bool, err error) {
	for i := n - 1; i >= max(0, n-len(ends)); i-- {
		g, why, err := r.game(ends[i%len(ends)])
		if err != nil {
			return 0, false, fmt.Errorf("read segment %s: %w", r.path, err)
		}
		if why == nil {
			return g.Number, true, nil
		}
	}
	if n <= len(ends) {
		return 0, false, nil
	}
	// So much damage is rare enough to be read through.
	again := NewReader(r.path, r.src, r.size)
	for {
		g, err := again.Next()
		if err == io.EOF {
			return last, any, nil
		}
		if _, damaged := err.(*Damage); damaged {
			continue
		}
		if err != nil {
			return 0, false, err
		}
		last, any = g.Number, true
	}
}
