package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"tengen/vfs"
)

const (
	// mergeLeast is the least number of segments that are merged at a time.
	mergeLeast = 4
	// mergeBytes is the greatest size in bytes of segments that are merged.
	mergeBytes = 32 << 20
)

// Merge merges small segments into larger ones, as there are enough of them, until ctx ends. Then
// it returns nil, at once but for an fsync. After an error it has given up; the folder is as
// readable as before.
//
// At least mergeLeast neighbours are merged, of at most a segment's games and mergeBytes in all, of
// which none has more than half of the games: so a game is copied at most as often as a segment's
// games can be halved. Records are copied byte for byte. Merging changes neither the games that can
// be read nor their order.
//
// The merged segment takes the place of the last of its sources, under that name, once it is
// durable; then the others are removed. Its first game is the least of theirs, so that it replaces
// all their games: whenever a process ends, each game can be read once.
//
// Segments with damage other than a cut-off tail are not merged, so that it stays to be told and
// mended.
func (l *Log) Merge(ctx context.Context) error {
	for {
		if err := l.removeReplaced(ctx); err != nil {
			return fmt.Errorf("remove replaced replay segments: %w", err)
		}
		for sources := l.mergeable(); sources != nil; sources = l.mergeable() {
			err := l.merge(ctx, sources)
			l.release(sources)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return fmt.Errorf("merge replay segments: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.closed:
		}
	}
}

// mergeable returns segments to be merged, the oldest ones first, and marks them as in use; nil if
// there are none.
func (l *Log) mergeable() []*part {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.parts {
		n := 0
		games, most, bytes := 0, 0, int64(0)
		for j, p := range l.parts[i:] {
			games, most, bytes = games+p.games, max(most, p.games), bytes+p.bytes
			if p.inUse || p.known != everything || !p.whole || games > l.perFile ||
				bytes > mergeBytes {
				break
			}
			if j+1 >= mergeLeast && games > 0 && 2*most <= games {
				n = j + 1
			}
		}
		if n == 0 {
			continue
		}
		sources := append([]*part(nil), l.parts[i:i+n]...)
		for _, p := range sources {
			p.inUse = true
		}
		return sources
	}
	return nil
}

// errUnfit says that segments can't be merged.
var errUnfit = errors.New("these segments can't be merged")

// merge merges segments that are marked as in use.
func (l *Log) merge(ctx context.Context, sources []*part) error {
	target := sources[len(sources)-1]
	merged := part{SegmentFile: target.SegmentFile, known: everything, whole: true, inUse: true}
	err := vfs.WriteFile(l.fsys, target.Path, func(w io.Writer) error {
		return l.copyAll(ctx, w, sources, &merged)
	})
	if err != nil && ctx.Err() == nil {
		// Don't try again, neither those that don't fit nor those whose state is unknown.
		l.mu.Lock()
		for _, p := range sources {
			p.whole = false
		}
		l.mu.Unlock()
	}
	if errors.Is(err, errUnfit) {
		return nil
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	*target = merged
	l.mu.Unlock()
	for _, p := range sources[:len(sources)-1] {
		if err := l.fsys.RemoveAll(p.Path); err != nil {
			return err
		}
		l.drop(p)
	}
	return l.fsys.SyncDir(l.dir)
}

// copyAll writes a segment of the games of sources.
func (l *Log) copyAll(ctx context.Context, w io.Writer, sources []*part, merged *part) error {
	// Those of a later one replace the games of earlier ones.
	bounds := make([]uint64, len(sources))
	bound := ^uint64(0)
	for i := len(sources) - 1; i >= 0; i-- {
		bounds[i] = bound
		if sources[i].games > 0 {
			bound = min(bound, sources[i].first)
		}
	}
	if _, err := w.Write(segmentHeader(l.Run)); err != nil {
		return err
	}
	merged.bytes = headerSize
	for i, p := range sources {
		if err := l.copyGames(ctx, w, p, bounds[i], merged); err != nil {
			return err
		}
	}
	return nil
}

// copyGames copies a segment's games with numbers below bound.
func (l *Log) copyGames(
	ctx context.Context, w io.Writer, p *part, bound uint64, merged *part,
) (err error) {
	r, err := OpenSegment(l.fsys, p.Path)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	r.src = &blocks{src: r.src, size: r.size}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := r.Next()
		if err == io.EOF {
			break
		}
		if _, damaged := err.(*Damage); damaged {
			continue
		}
		if err != nil {
			return err
		}
		if g.Number >= bound {
			continue
		}
		data, err := r.read(r.at.start, int(r.at.whole()))
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return err
		}
		merged.count(g.Number)
		merged.bytes += r.at.whole()
	}
	if r.good != p.games {
		return errUnfit // damage
	}
	return nil
}

// removeReplaced removes segments all of whose games a later one replaces: what a merge that was
// cut short, or a process that began at an earlier game, has left.
func (l *Log) removeReplaced(ctx context.Context) error {
	list := l.replaced()
	defer l.release(list)
	for _, p := range list {
		if ctx.Err() != nil {
			return nil
		}
		if err := l.fsys.RemoveAll(p.Path); err != nil {
			return err
		}
		l.drop(p)
	}
	if len(list) == 0 {
		return nil
	}
	return l.fsys.SyncDir(l.dir)
}

// replaced returns the segments all of whose games a later one replaces, and marks them as in use.
func (l *Log) replaced() (list []*part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	bound := ^uint64(0)
	for _, p := range slices.Backward(l.parts) {
		if p.known != everything || p.games == 0 {
			continue
		}
		if p.first >= bound && p.whole && !p.inUse {
			p.inUse = true
			list = append(list, p)
		}
		bound = min(bound, p.first)
	}
	return list
}
