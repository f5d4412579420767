package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tengen/internal/runid"
)

// A segment is a header of headerSize1 or headerSize2 bytes followed by records, each with a head
// of recordHead bytes. All numbers are little-endian, all checksums CRC-32C.
//
//	header  magic "TENGENRG", version uint32, in version 2 the run's identity uint64,
//	        checksum of these 12 or 20 bytes uint32
//	record  length of the payload uint32, checksum of the payload uint32,
//	        checksum of these 8 bytes uint32, payload: one zstd frame of an encoded game
const (
	segmentMagic = "TENGENRG"
	// Version 1 has no identity of the run.
	segmentVersion1 = 1
	segmentVersion2 = 2
	headerSize1     = 16
	headerSize2     = 24
	recordHead      = 12
	// maxRecord is the maximum size in bytes of an encoded game, compressed or not. A
	// 1,000-ply game of 19×19 Go with visits for every action takes less than 2 MiB; a
	// tree's state for three players takes about 14 bytes before compression.
	maxRecord = 64 << 20
)

// Extension is the extension of a segment's file name.
const Extension = ".games"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// ErrVersion is wrapped by errors about files of a version that this program does not read.
var ErrVersion = errors.New("unknown version")

// segmentHeader returns the header of a segment of a run; 0 gives one of version 1.
func segmentHeader(run runid.ID) []byte {
	h := []byte(segmentMagic)
	if run == 0 {
		h = binary.LittleEndian.AppendUint32(h, segmentVersion1)
	} else {
		h = binary.LittleEndian.AppendUint32(h, segmentVersion2)
		h = binary.LittleEndian.AppendUint64(h, uint64(run))
	}
	return binary.LittleEndian.AppendUint32(h, checksum(h))
}

// checkHeader returns the length of the header at a segment's beginning h, which has headerSize2+recordHead bytes or is the
// whole segment of at least headerSize1, and the run in it. records says whether records may follow a header that
// is not right: yes if only the header is damaged, no if the file is something else.
func checkHeader(h []byte) (size int, run runid.ID, records bool, err error) {
	version := binary.LittleEndian.Uint32(h[8:])
	// The record after a damaged header tells how long it is.
	second := len(h) >= headerSize2+recordHead && validHead(h[headerSize2:headerSize2+recordHead])
	if len(h) >= headerSize2 && !sums(h, headerSize1) && (version == segmentVersion2 || sums(h, headerSize2) || second) {
		size = headerSize2
		run = runid.ID(binary.LittleEndian.Uint64(h[12:]))
	} else {
		size = headerSize1
	}
	right := sums(h, size)
	switch {
	case string(h[:8]) != segmentMagic:
		return size, 0, !right, fmt.Errorf("not a replay segment: it begins with %q, not %q", h[:8], segmentMagic)
	case !right && version == segmentVersion2 && size == headerSize1:
		return size, 0, false, fmt.Errorf("%d bytes; a segment's header has %d", len(h), headerSize2)
	case !right:
		end := size - 4
		return size, 0, true, fmt.Errorf("the header's checksum is %#08x, but it has %#08x", checksum(h[:end]), binary.LittleEndian.Uint32(h[end:]))
	case size == headerSize1 && version != segmentVersion1 || size == headerSize2 && version != segmentVersion2:
		return size, 0, false, fmt.Errorf("%w %d of a replay segment; this program reads versions %d and %d", ErrVersion, version, segmentVersion1, segmentVersion2)
	case size == headerSize2 && run == 0:
		return size, 0, true, errors.New("the header carries no identity")
	}
	return size, run, true, nil
}

// sums reports whether a header of size bytes has the right checksum.
func sums(h []byte, size int) bool {
	return binary.LittleEndian.Uint32(h[size-4:]) == checksum(h[:size-4])
}

// codec returns the compressor and decompressor. EncodeAll and DecodeAll are safe for
// concurrent use.
var codec = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRecord), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// allowance is how much more than in proportion to its size the games of a file may take in memory, so that a small
// file does not cost much. What each record takes more than in proportion is taken from it.
type allowance struct {
	raw   int // bytes of encoded games beyond rawPerByte for each byte of payload
	moves int // moves beyond movesPerByte
}

// Of the games of real runs a byte of payload holds up to 20 bytes (trees of Descent) and a move.
const (
	rawPerByte   = 64
	movesPerByte = 4
)

func newAllowance() allowance { return allowance{12 << 20, MaxMoves} }

// take takes what a record needs, if there is as much.
func (a *allowance) take(payload, raw, moves int) bool {
	raw, moves = max(0, raw-rawPerByte*payload), max(0, moves-movesPerByte*payload)
	if raw > a.raw || moves > a.moves {
		return false
	}
	a.raw, a.moves = a.raw-raw, a.moves-moves
	return true
}

// padded returns the size of a payload that needs no allowance.
func padded(raw, moves int) int {
	return max((raw+rawPerByte-1)/rawPerByte, (moves+movesPerByte-1)/movesPerByte)
}

// appendRecord appends a game as a record of a segment, and a frame to be skipped where the allowance is used up. raw is
// scratch space, which it returns, possibly grown.
func appendRecord(dst, raw []byte, g *Game, a *allowance) (record, scratch []byte, err error) {
	if raw, err = AppendEncoded(raw[:0], g); err != nil {
		return dst, raw, err
	}
	if len(raw) > maxRecord {
		return dst, nil, tooLarge(g, len(raw))
	}
	start := len(dst)
	dst = append(dst, make([]byte, recordHead)...)
	enc, _ := codec()
	dst = enc.EncodeAll(raw, dst)
	if n := len(dst) - start - recordHead; !a.take(n, len(raw), len(g.Moves)) {
		const skippable, skippableHead = 0x184d2a50, 8
		n := max(0, padded(len(raw), len(g.Moves))-n-skippableHead)
		dst = binary.LittleEndian.AppendUint32(dst, skippable)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
		dst = append(dst, make([]byte, n)...)
	}
	payload := dst[start+recordHead:]
	if len(payload) > maxRecord {
		return dst[:start], raw, tooLarge(g, len(payload))
	}
	head := dst[start : start+recordHead]
	binary.LittleEndian.PutUint32(head, uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[4:], checksum(payload))
	binary.LittleEndian.PutUint32(head[8:], checksum(head[:8]))
	return dst, raw, nil
}

func tooLarge(g *Game, size int) error {
	states := 0
	for k := range g.Trees {
		states += len(g.Trees[k].Depths)
	}
	return fmt.Errorf("encode game %d: %d bytes, with %d moves and %d tree states; the maximum of a record is %d bytes", g.Number, size, len(g.Moves), states, maxRecord)
}

// decodePayload decodes the game in a payload whose checksum is right. raw is scratch
// space.
func decodePayload(payload, raw []byte, a *allowance) (g *Game, scratch []byte, err error) {
	var h zstd.Header
	if err := h.Decode(payload); err != nil {
		return nil, raw, fmt.Errorf("decompress: %w", err)
	}
	if h.FrameContentSize > maxRecord {
		return nil, raw, fmt.Errorf("decompress: %d bytes; the maximum is %d", h.FrameContentSize, maxRecord)
	}
	size := int(h.FrameContentSize)
	if !h.HasFCS {
		size = 255 // zstd's encoder leaves the size out of shorter frames only
	}
	if trial := *a; !trial.take(len(payload), size, 0) {
		return nil, raw, fmt.Errorf("decompress: %d bytes from %d; with the records before it, that is more than a file of this size may hold", size, len(payload))
	}
	if cap(raw) < size {
		raw = make([]byte, 0, size)
	}
	_, dec := codec()
	raw, err = dec.DecodeAll(payload, raw[:0:size])
	if err != nil {
		return nil, raw, fmt.Errorf("decompress: %w", err)
	}
	if g, err = decode(raw, a.moves+movesPerByte*len(payload)); err == nil {
		a.take(len(payload), len(raw), len(g.Moves))
	}
	return g, raw, err
}
