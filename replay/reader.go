package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// Damage is an unreadable part of a segment.
type Damage struct {
	Path   string
	Offset int64 // of the first unreadable byte
	Length int64 // skipped bytes
	Good   int   // readable games before it
	Torn   bool  // nothing readable follows: writing was interrupted, or the last record is damaged
	Err    error // the reason
}

func (d *Damage) Error() string {
	where := "damaged record"
	if d.Torn {
		where = "damaged tail"
	}
	return fmt.Sprintf("%s: %s at byte %d (%d bytes, after %d good games): %v",
		d.Path, where, d.Offset, d.Length, d.Good, d.Err)
}

func (d *Damage) Unwrap() error { return d.Err }

// Reader reads the games of one segment in order.
type Reader struct {
	path string
	src  io.ReaderAt
	size int64
	pos  int64
	good int
	last uint64 // number of the last good game
	at   span   // of its record
	buf  []byte // payload
	err  error  // a final error
	file io.Closer
	run  runid.ID

	unordered bool // games may have any order
}

// NewReader returns a Reader of a segment of size bytes; path is for errors.
func NewReader(path string, src io.ReaderAt, size int64) *Reader {
	return &Reader{path: path, src: src, size: size}
}

// OpenSegment opens a segment in a file system. The caller must Close it.
func OpenSegment(fsys vfs.FS, path string) (*Reader, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open segment: %w", err)
	}
	r := NewReader(path, f, info.Size())
	r.file = f
	return r, nil
}

// OpenJournalFile opens a file of a Journal, whose games have any order. The caller must Close it.
func OpenJournalFile(fsys vfs.FS, path string) (*Reader, error) {
	r, err := OpenSegment(fsys, path)
	if err == nil {
		r.unordered = true
	}
	return r, err
}

// Close closes the file that OpenSegment opened, if any.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Run returns the identity of the run that the segment belongs to, once Next was called; 0 if the
// segment carries none, or its header is damaged.
func (r *Reader) Run() runid.ID { return r.run }

// Next returns the next game, and io.EOF at the end. For a damaged part the error is a
// *Damage, and the next call continues after it. Any other error is from reading the
// file, and final.
func (r *Reader) Next() (*record.Game, error) {
	var g *record.Game
	err := r.next(func(payload []byte) (number uint64, why error) {
		if g, why = record.Decode(payload); why != nil {
			return 0, why
		}
		return g.Number, nil
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// next calls decode with the payload of the next record, whose checksum is right. The bytes are
// valid until the next call. decode returns the game's number, or what is wrong with the record.
// next's errors are those of Next.
func (r *Reader) next(decode func(payload []byte) (number uint64, why error)) error {
	if r.err != nil {
		return r.err
	}
	err := r.tryNext(decode)
	if _, damaged := err.(*Damage); err != nil && !damaged {
		if err != io.EOF {
			err = fmt.Errorf("read segment %s: %w", r.path, err)
		}
		r.err = err
	}
	return err
}

func (r *Reader) tryNext(decode func(payload []byte) (number uint64, why error)) error {
	s, err := r.find()
	if err != nil {
		return err
	}
	payload, why, err := r.payload(s)
	if err != nil {
		return err
	}
	var number uint64
	if why == nil {
		number, why = decode(payload)
	}
	if why == nil && !r.unordered && r.good > 0 && number <= r.last {
		why = fmt.Errorf("game %d follows game %d", number, r.last)
	}
	if why != nil {
		return r.damage(s.whole(), why)
	}
	r.pos += s.whole()
	r.good++
	r.last, r.at = number, s
	return nil
}

// span is a record with a valid head that lies within its segment.
type span struct {
	start  int64  // offset of the head
	length int    // of the payload
	sum    uint32 // checksum of the payload, as recorded
}

// whole returns the length of the record, head included.
func (s span) whole() int64 { return record.HeadSize + int64(s.length) }

// find reads the head of the record at the reader's offset, without advancing. Errors
// are those of Next.
func (r *Reader) find() (span, error) {
	if r.pos == 0 {
		if err := r.header(); err != nil {
			return span{}, err
		}
	}
	if r.pos == r.size {
		return span{}, io.EOF
	}
	start, left := r.pos, r.size-r.pos
	if left < record.HeadSize {
		return span{}, r.damage(left,
			fmt.Errorf("%d bytes; a record's head has %d", left, record.HeadSize))
	}
	head, err := r.read(start, record.HeadSize)
	if err != nil {
		return span{}, err
	}
	length, sum := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if !record.ValidHead(head) {
		next, err := r.resync(start + 1)
		if err != nil {
			return span{}, err
		}
		return span{}, r.damage(next-start, fmt.Errorf("the record's head fails its checksum"))
	}
	if int64(length) > left-record.HeadSize {
		return span{}, r.damage(left,
			fmt.Errorf("the record has %d bytes, but %d are left", length, left-record.HeadSize))
	}
	if length > record.MaxSize {
		return span{}, r.damage(record.HeadSize+int64(length),
			fmt.Errorf("the record has %d bytes; the maximum is %d", length, record.MaxSize))
	}
	return span{start, int(length), sum}, nil
}

// payload reads the payload of a record. why is what is wrong with it; err is from reading the
// file.
func (r *Reader) payload(s span) (payload []byte, why, err error) {
	if payload, err = r.read(s.start+record.HeadSize, s.length); err != nil {
		return nil, nil, err
	}
	if got := record.Checksum(payload); got != s.sum {
		why = fmt.Errorf("the record's checksum is %#08x, but its head has %#08x", got, s.sum)
	}
	return payload, why, nil
}

// header checks the segment's header.
func (r *Reader) header() error {
	if r.size < headerSize {
		return r.damage(r.size,
			fmt.Errorf("%d bytes; a segment's header has %d", r.size, headerSize))
	}
	h, err := r.read(0, headerSize)
	if err != nil {
		return err
	}
	run, records, err := checkHeader(h)
	switch {
	case err != nil && records:
		return r.damage(headerSize, err)
	case err != nil:
		return r.damage(r.size, err)
	}
	r.pos, r.run = headerSize, run
	return nil
}

// damage skips length bytes and returns a *Damage.
func (r *Reader) damage(length int64, err error) error {
	d := &Damage{Path: r.path, Offset: r.pos, Length: length, Good: r.good, Err: err}
	r.pos += length
	d.Torn = r.pos >= r.size
	if r.size == 0 {
		r.err = io.EOF // an empty file stays at offset 0; report it once
	}
	return d
}

// read reads n bytes, which must lie within the segment, into the reader's buffer.
func (r *Reader) read(offset int64, n int) ([]byte, error) {
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	b := r.buf[:n]
	if k, err := r.src.ReadAt(b, offset); k < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b, nil
}

// resync returns the first offset, at or after from, with a valid head of a record that
// lies within the segment, or the segment's end.
func (r *Reader) resync(from int64) (int64, error) {
	const chunk = 1 << 16
	for ; r.size-from >= record.HeadSize; from += chunk {
		b, err := r.read(from, int(min(r.size-from, chunk+record.HeadSize-1)))
		if err != nil {
			return 0, err
		}
		for i := 0; i+record.HeadSize <= len(b); i++ {
			head := b[i : i+record.HeadSize]
			length := int64(binary.LittleEndian.Uint32(head))
			if length <= r.size-from-int64(i)-record.HeadSize && record.ValidHead(head) {
				return from + int64(i), nil
			}
		}
	}
	return r.size, nil
}

// ReadSegment returns all readable games of the segment in data, and its damaged parts
// in order. It is a convenience for tools and tests.
func ReadSegment(path string, data []byte) (games []*record.Game, damages []*Damage) {
	r := NewReader(filepath.Base(path), bytes.NewReader(data), int64(len(data)))
	for {
		g, err := r.Next()
		if d, ok := err.(*Damage); ok {
			damages = append(damages, d)
			continue
		}
		if err != nil {
			return games, damages
		}
		games = append(games, g)
	}
}

// Offset returns the reader's offset: 0, or the beginning of the next record. It is
// valid for MoveTo of any reader on the same segment.
func (r *Reader) Offset() int64 { return r.pos }

// MoveTo moves the reader to an offset that Offset returned. The numbers of the games
// after it are not compared with those before it.
func (r *Reader) MoveTo(offset int64) {
	r.pos, r.good, r.last = offset, 0, 0
}

// Skip skips the next record without reading its game. Its errors are those of Next,
// but it does not detect damage of the payload.
func (r *Reader) Skip() error {
	if r.err != nil {
		return r.err
	}
	s, err := r.find()
	if err != nil {
		return err
	}
	r.pos += s.whole()
	return nil
}
