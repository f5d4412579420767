package replay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"tengen/replay/record"
	"tengen/vfs"
)

// Prune removes the oldest segments, as long as all their games have
// numbers below before. It returns their paths, also with an error. It keeps
//
//   - the newest segment: the next Log continues from its number;
//   - all segments after one that is kept, so that a segment that replaces games of an
//     earlier one is not removed before it: replaced games never come back;
//   - a segment without readable games, until a later one with games is removed;
//   - a segment of a version that this program does not read;
//   - a segment that is being merged, until the next call.
//
// Load returns the same games from before on as without Prune, also after a crash at
// any time: segments are removed one by one, the oldest first, and each removal is
// made durable before the next.
//
// Of a segment that was there when the Log was opened, and that Resume has not read, Prune reads
// once the heads of the records and the last valid game, since numbers ascend within a segment. Of
// others it reads nothing.
func (l *Log) Prune(before uint64) (removed []string, err error) {
	old, err := l.takeOld(before)
	defer l.release(old)
	if err != nil {
		return nil, fmt.Errorf("prune replay: %w", err)
	}
	for _, p := range old {
		if err := l.fsys.RemoveAll(p.Path); err != nil {
			return removed, fmt.Errorf("prune replay: remove %s: %w", p.Path, err)
		}
		removed = append(removed, p.Path)
		if err := l.fsys.SyncDir(l.dir); err != nil {
			return removed, fmt.Errorf("prune replay: remove %s: sync its folder: %w", p.Path, err)
		}
		l.drop(p)
	}
	return removed, nil
}

// takeOld returns the segments to remove, and marks them as in use.
func (l *Log) takeOld(before uint64) (old []*part, err error) {
	taken := 0
	var list []*part
	for {
		p := l.claim(len(list))
		if p == nil {
			break
		}
		list = append(list, p)
		err = l.findLast(p)
		if err != nil || p.known == unreadable || p.games > 0 && p.last >= before {
			break
		}
		if p.games > 0 {
			taken = len(list)
		}
	}
	if err != nil {
		taken = 0
	}
	l.release(list[taken:])
	return list[:taken], err
}

// claim marks segment i as in use and returns it; nil if it is the newest one, or in use.
func (l *Log) claim(i int) *part {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.parts)
	if !l.named {
		n--
	}
	if i >= n || l.parts[i].inUse {
		return nil
	}
	l.parts[i].inUse = true
	return l.parts[i]
}

func (l *Log) release(parts []*part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range parts {
		p.inUse = false
	}
}

// drop takes a segment that is removed off the list.
func (l *Log) drop(p *part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.parts, p); i >= 0 {
		l.parts = slices.Delete(l.parts, i, i+1)
	}
}

// findLast finds the last number of a segment.
func (l *Log) findLast(p *part) error {
	if p.known != nothing {
		return nil
	}
	last, any, err := lastGame(l.fsys, p.Path)
	known := lastNumber
	switch {
	case errors.Is(err, ErrVersion):
		known = unreadable
	case errors.Is(err, fs.ErrNotExist): // somebody has removed it
	case err != nil:
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.known, p.last = known, last
	if any {
		p.games = 1
	}
	return nil
}

// remembered is the number of records at a segment's end that lastGame tries before
// it reads the segment from the start.
const remembered = 64

// lastGame returns the number of the last readable game of a segment; any is false if
// there is none. The error wraps ErrVersion if the segment has an unknown version.
func lastGame(fsys vfs.FS, path string) (last uint64, any bool, err error) {
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
		payload, why, err := r.payload(ends[i%len(ends)])
		if err != nil {
			return 0, false, fmt.Errorf("read segment %s: %w", r.path, err)
		}
		var p record.Packed
		if why == nil {
			p, why = record.Open(payload, &record.Target{})
		}
		if why == nil {
			return p.Number, true, nil
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
