package replay

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"tengen/vfs"
)

// Prune removes the oldest segments of a folder, as long as all their games have
// numbers below before. It returns their paths, also with an error. It keeps
//
//   - the newest segment: the next Log continues from its number;
//   - all segments after one that is kept, so that a segment that replaces games of an
//     earlier one is not removed before it: replaced games never come back;
//   - a segment without readable games, until a later one with games is removed;
//   - a segment of a version that this program does not read.
//
// Load returns the same games from before on as without Prune, also after a crash at
// any time: segments are removed one by one, the oldest first, and each removal is
// made durable before the next.
//
// Prune reads only the heads of a segment's records and its last valid game, since
// numbers ascend within a segment. So its time and memory do not depend on the size of
// the games. The folder may be open in a Log.
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

// remembered is the number of records at a segment's end that lastNumber tries before
// it reads the segment from the start.
const remembered = 64

// lastNumber returns the number of the last readable game of a segment; any is false if
// there is none. The error wraps ErrVersion if the segment has an unknown version.
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

// lastOf returns the number of the last valid game of n records; ends is a ring buffer
// of the last ones.
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
	// So much damage is rare: read the whole segment.
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
