package replay

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/replay/record"
	"tengen/vfs"
)

// Load returns all games of a folder, in order of number, each number once. It skips damaged parts
// and returns them in damages, those of the newest segment first. An error means that the folder or
// a file could not be read.
func Load(fsys vfs.FS, dir string) (games []*record.Game, damages []*Damage, err error) {
	parts, err := partsOf(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	s := scan{fsys: fsys, parts: parts, before: math.MaxUint64}
	damages, err = s.all(func(p *record.Packed) error {
		games = append(games, p.Game())
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return games, damages, nil
}

// Resume calls game with each game whose number is at least from and below before, in order of
// number, each number once. It skips damaged parts and returns them, those of the newest segment
// first. Segments that hold none of these games are not read further than their first game.
//
// Each of the games is legal by the rules: those of segments with owner's identity were checked
// when they were written, so that only the first is replayed, and the others are known by their
// checksums to be the same; games of other segments, or of one whose first game is illegal, are all
// replayed. An illegal game counts as damage.
//
// It makes the folder durable before: otherwise games that it has read from the page cache, and
// that a checkpoint counts since, could be lost in a power cut.
//
// A segment, or a game that it reads, of another run than owner's is an error, which wraps
// runid.ErrOtherRun and names the segment. Other errors are those of game, or mean that the folder
// or a file could not be read.
//
// Segments are read and checked on as many goroutines as the machine has cores, ahead of game, but
// not by more than 4 MiB of the file for each. game is called by Resume's own goroutine, and may
// keep what it is given.
func (l *Log) Resume(
	owner Owner, rules game.Game, from, before uint64, game func(*record.Packed) error,
) (damages []*Damage, err error) {
	if err := l.sync(); err != nil {
		return nil, err
	}
	s := scan{
		fsys: l.fsys, parts: l.parts, owner: &owner, rules: rules, from: from, before: before,
	}
	return s.all(game)
}

// scan reads the games of a folder.
type scan struct {
	fsys         vfs.FS
	parts        []*part
	owner        *Owner    // nil: any
	rules        game.Game // nil: games need not be legal
	from, before uint64    // numbers of the games wanted
}

// beginning is what the beginning of a segment tells.
type beginning struct {
	first   uint64 // number of the first readable game; the greatest number if there is none
	checked bool   // its games were checked when they were written
}

// all calls game with each game.
func (s *scan) all(game func(*record.Packed) error) ([]*Damage, error) {
	begin := make([]beginning, len(s.parts))
	err := parallel(len(s.parts), func(i int) (err error) {
		begin[i], err = s.begin(s.parts[i].Path)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Go from the newest segment back: a later segment replaces the games from its
	// first number on in earlier ones.
	q := &queue{scan: s, limit: int64(readAhead * runtime.GOMAXPROCS(0))}
	q.changed.L = &q.mu
	bound := s.before
	for i := len(s.parts) - 1; i >= 0 && bound > s.from; i-- {
		q.segments = append(q.segments, &segmentGames{
			part: s.parts[i], bound: bound, checked: s.rules == nil || begin[i].checked,
		})
		bound = min(bound, begin[i].first)
	}
	err = q.run(game)
	var damages []*Damage
	for _, x := range q.segments {
		damages = append(damages, x.damages...)
	}
	return damages, err
}

// begin reads a segment's beginning.
func (s *scan) begin(path string) (b beginning, err error) {
	o, err := ownerOf(s.fsys, path)
	if err != nil {
		return b, err
	}
	if s.owner != nil {
		if err := s.owner.check(o); err != nil {
			return b, fmt.Errorf("%s: %w", path, err)
		}
		b.checked = o.marked && o.run != 0 && o.run == s.owner.Run
	}
	b.first = math.MaxUint64
	if o.any {
		b.first = o.first.Number
		b.checked = b.checked && s.rules != nil && record.NewChecker(s.rules).Check(o.first) == nil
	}
	return b, nil
}

// segmentGames are the games of a segment on their way from the goroutine that reads it.
type segmentGames struct {
	part    *part
	bound   uint64 // games with numbers from it on are not wanted
	checked bool   // they are legal by the rules
	ready   []record.Packed
	held    int64 // bytes in the file of those ready
	done    bool  // all games have been ready, or err says why not
	damages []*Damage
	err     error
}

// queue gives the games of segments in order, which several goroutines read.
type queue struct {
	*scan
	segments []*segmentGames // the newest first
	limit    int64           // bytes in the file of games that are ready; twice it at most

	mu      sync.Mutex
	changed sync.Cond
	begun   int   // segments that a goroutine reads or has read
	current int   // the one whose games are taken, counted from the oldest
	held    int64 // bytes in the file of all games that are ready
	over    bool  // no more games are wanted
}

const (
	// readAhead is the number of bytes of segments, for each goroutine, of which games may be
	// decoded before they are taken.
	readAhead = 4 << 20
	// handOver is the number of bytes whose games are handed over at once.
	handOver = 64 << 10
)

func (q *queue) run(game func(*record.Packed) error) error {
	n := len(q.segments)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for x, k := q.next(); x != nil; x, k = q.next() {
				err := q.read(x, k)
				q.mu.Lock()
				x.done, x.err = true, err
				q.mu.Unlock()
				q.changed.Broadcast()
			}
		})
	}
	defer group.Wait()
	defer func() {
		q.mu.Lock()
		q.over = true
		q.mu.Unlock()
		q.changed.Broadcast()
	}()
	for k := range n {
		x := q.segment(k)
		for {
			games, err := q.take(x, k)
			if err != nil {
				return err
			}
			if games == nil {
				break
			}
			for i := range games {
				if err := game(&games[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// segment returns segment k, counted from the oldest.
func (q *queue) segment(k int) *segmentGames { return q.segments[len(q.segments)-1-k] }

// next returns a segment to read; nil: there is none.
func (q *queue) next() (x *segmentGames, k int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if k = q.begun; q.over || k == len(q.segments) {
		return nil, 0
	}
	q.begun++
	return q.segment(k), k
}

// take waits for games of segment k and returns them; none at its end.
func (q *queue) take(x *segmentGames, k int) ([]record.Packed, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.current != k {
		q.current = k
		q.changed.Broadcast()
	}
	for len(x.ready) == 0 {
		if x.done {
			return nil, x.err
		}
		q.changed.Wait()
	}
	games := x.ready
	q.held -= x.held
	x.ready, x.held = nil, 0
	q.changed.Broadcast()
	return games, nil
}

// put makes games ready, which have a number of bytes in the file. It waits while as many as the
// limit are ready. more says whether more are wanted.
func (q *queue) put(x *segmentGames, k int, games []record.Packed, bytes int64) (more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// The segment whose games are taken need not wait for others.
	for !q.over && q.held >= q.limit && (k != q.current || x.held >= q.limit) {
		q.changed.Wait()
	}
	x.ready = append(x.ready, games...)
	x.held += bytes
	q.held += bytes
	if k == q.current {
		q.changed.Broadcast()
	}
	return !q.over
}

// read reads a segment and notes what is in it.
func (q *queue) read(x *segmentGames, k int) (err error) {
	p := x.part
	r, err := OpenSegment(q.fsys, p.Path)
	if err != nil {
		return err
	}
	defer func() {
		if e := r.Close(); err == nil && e != nil {
			err = fmt.Errorf("read segment %s: %w", p.Path, e)
		}
	}()
	r.src = &blocks{src: r.src, size: r.size}
	found := part{SegmentFile: p.SegmentFile, known: everything, bytes: r.size, whole: true}
	var check *record.Checker
	if !x.checked {
		check = record.NewChecker(q.rules)
	}
	var games []record.Packed
	var data []byte // of games
	var target record.Target
	begin := r.pos
	for {
		var g record.Packed
		e := r.next(func(payload []byte) (uint64, error) {
			if len(payload) > cap(data)-len(data) {
				data = make([]byte, 0, max(len(payload), handOver))
			}
			data = append(data, payload...)
			var why error
			g, why = record.Open(data[len(data)-len(payload):], &target)
			return g.Number, why
		})
		if d := (*Damage)(nil); errors.As(e, &d) {
			x.damages = append(x.damages, d)
			// What is cut off at the end was never acknowledged, or is lost in any case.
			found.whole = found.whole && d.Torn && (d.Offset > 0 || r.size < headerSize)
			if errors.Is(d, ErrVersion) {
				found.known = unreadable
			}
			continue
		}
		if e != nil && e != io.EOF {
			return e
		}
		if e == nil {
			if q.owner != nil {
				if err := q.owner.checkSeed(g.Number, g.Seed); err != nil {
					return fmt.Errorf("%s: %w", p.Path, err)
				}
			}
			found.count(g.Number)
			wanted := g.Number >= q.from && g.Number < x.bound
			if wanted && check != nil {
				if why := check.Check(g.Game()); why != nil {
					wanted, found.whole = false, false
					x.damages = append(x.damages, &Damage{
						Path: p.Path, Offset: r.at.start, Length: r.at.whole(), Good: r.good - 1,
						Err: why,
					})
				}
			}
			if wanted {
				games = append(games, g)
			}
		}
		if bytes := r.pos - begin; e == io.EOF || bytes >= handOver {
			if len(games) > 0 && !q.put(x, k, games, bytes) {
				return nil
			}
			games, data, begin = nil, nil, r.pos
		}
		if e == io.EOF {
			break
		}
	}
	found.whole = found.whole && (found.games == 0 || q.owner != nil && r.Run() == q.owner.Run)
	*p = found
	return nil
}

// count counts a game that follows the others.
func (p *part) count(number uint64) {
	if p.games == 0 {
		p.first = number
	}
	p.games++
	p.last = number
}

// blocks reads a file in blocks ahead of what is asked for.
type blocks struct {
	src  io.ReaderAt
	size int64
	data []byte // the block read last
	at   int64  // its offset
}

const blockSize = 256 << 10

func (b *blocks) ReadAt(p []byte, offset int64) (int, error) {
	if k := offset - b.at; k >= 0 && k+int64(len(p)) <= int64(len(b.data)) {
		return copy(p, b.data[k:]), nil
	}
	n := min(blockSize, b.size-offset)
	if int64(len(p)) >= n {
		return b.src.ReadAt(p, offset)
	}
	if b.data == nil {
		b.data = make([]byte, blockSize)
	}
	b.data = b.data[:n]
	k, err := b.src.ReadAt(b.data, offset)
	b.data, b.at = b.data[:k], offset
	if n := copy(p, b.data); n == len(p) {
		return n, nil
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return min(k, len(p)), err
}

// parallel calls f with 0 to n-1 on as many goroutines as the machine has cores. It returns the
// error of the least number.
func parallel(n int, f func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			// Numbers are given out in order: those below one that fails are all tried.
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = f(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
