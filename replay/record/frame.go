package record

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	// HeadSize is the size in bytes of the head of a record: the length of the payload uint32, the
	// checksum of the payload uint32, the checksum of these 8 bytes uint32; little-endian. The
	// payload is a zstd frame of an encoded game.
	HeadSize = 12
	// MaxSize is the maximum size in bytes of an encoded game, compressed or not. A
	// 1,000-ply game of 19×19 Go with visits for every action takes less than 2 MiB; a
	// tree's state for three players takes about 14 bytes before compression.
	MaxSize = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// ValidHead reports whether the checksum of a record's head is right.
func ValidHead(head []byte) bool {
	return binary.LittleEndian.Uint32(head[8:]) == Checksum(head[:8])
}

// Append appends a game as a record of a segment: a head with checksums, and a compressed encoding.
// It returns the error of Check.
func Append(dst []byte, g *Game) ([]byte, error) {
	var none Allowance
	record, _, err := AppendWithin(dst, nil, g, &none)
	return record, err
}

// DecodeAll decodes records that Append has appended, at most limit. They must fill data, be whole,
// and have at most bytes bytes uncompressed in all.
func DecodeAll(data []byte, limit, bytes int) ([]*Game, error) {
	var games []*Game
	allowed := NewAllowance()
	for len(data) > 0 {
		if len(games) == limit {
			return nil, fmt.Errorf("more than %d records", limit)
		}
		if len(data) < HeadSize || !ValidHead(data[:HeadSize]) {
			return nil,
				fmt.Errorf("record %d: its head is cut off or fails its checksum", len(games))
		}
		length, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if uint64(length) > uint64(len(data)-HeadSize) {
			return nil, fmt.Errorf("record %d has %d bytes, but %d are left",
				len(games), length, len(data)-HeadSize)
		}
		payload := data[HeadSize : HeadSize+int(length)]
		if got := Checksum(payload); got != sum {
			return nil, fmt.Errorf("record %d: its checksum is %#08x, but its head has %#08x",
				len(games), got, sum)
		}
		var h zstd.Header
		tooLarge := h.Decode(payload) == nil && h.HasFCS && h.FrameContentSize > uint64(bytes)
		var g *Game
		var raw []byte
		if !tooLarge {
			var err error
			if g, raw, err = DecodePayload(payload, nil, &allowed); err != nil {
				return nil, fmt.Errorf("record %d: %w", len(games), err)
			}
		}
		if bytes -= len(raw); tooLarge || bytes < 0 {
			return nil,
				fmt.Errorf("record %d: the records have more than the bytes allowed uncompressed",
					len(games))
		}
		games = append(games, g)
		data = data[HeadSize+int(length):]
	}
	return games, nil
}

// codec returns the compressor and decompressor. EncodeAll and DecodeAll are safe for
// concurrent use.
var codec = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxSize), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// Allowance is how much more than in proportion to its size the games of a file may take in memory,
// so that a small file does not cost much. What each record takes more than in proportion is taken
// from it.
type Allowance struct {
	raw   int // bytes of encoded games beyond rawPerByte for each byte of payload
	moves int // moves beyond movesPerByte
}

// Of the games of real runs a byte of payload holds up to 20 bytes (trees of Descent) and a move.
const (
	rawPerByte   = 64
	movesPerByte = 4
)

// NewAllowance returns the allowance of a file.
func NewAllowance() Allowance { return Allowance{12 << 20, MaxMoves} }

// take takes what a record needs, if there is as much.
func (a *Allowance) take(payload, raw, moves int) bool {
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

// AppendWithin appends a game as a record of a segment, and a frame to be skipped where the
// allowance is used up. raw is scratch space, which it returns, possibly grown.
func AppendWithin(dst, raw []byte, g *Game, a *Allowance) (record, scratch []byte, err error) {
	if raw, err = AppendEncoded(raw[:0], g); err != nil {
		return dst, raw, err
	}
	if len(raw) > MaxSize {
		return dst, nil, tooLarge(g, len(raw))
	}
	start := len(dst)
	dst = append(dst, make([]byte, HeadSize)...)
	enc, _ := codec()
	dst = enc.EncodeAll(raw, dst)
	if n := len(dst) - start - HeadSize; !a.take(n, len(raw), len(g.Moves)) {
		const skippable, skippableHead = 0x184d2a50, 8
		n := max(0, padded(len(raw), len(g.Moves))-n-skippableHead)
		dst = binary.LittleEndian.AppendUint32(dst, skippable)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
		dst = append(dst, make([]byte, n)...)
	}
	payload := dst[start+HeadSize:]
	if len(payload) > MaxSize {
		return dst[:start], raw, tooLarge(g, len(payload))
	}
	head := dst[start : start+HeadSize]
	binary.LittleEndian.PutUint32(head, uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[4:], Checksum(payload))
	binary.LittleEndian.PutUint32(head[8:], Checksum(head[:8]))
	return dst, raw, nil
}

func tooLarge(g *Game, size int) error {
	states := 0
	for k := range g.Trees {
		states += len(g.Trees[k].Depths)
	}
	return fmt.Errorf("encode game %d: %d bytes, with %d moves and %d tree states; the maximum of a record is %d bytes", g.Number, size, len(g.Moves), states, MaxSize)
}

// DecodePayload decodes the game in a payload whose checksum is right. raw is scratch
// space.
func DecodePayload(payload, raw []byte, a *Allowance) (g *Game, scratch []byte, err error) {
	var h zstd.Header
	if err := h.Decode(payload); err != nil {
		return nil, raw, fmt.Errorf("decompress: %w", err)
	}
	if h.FrameContentSize > MaxSize {
		return nil, raw,
			fmt.Errorf("decompress: %d bytes; the maximum is %d", h.FrameContentSize, MaxSize)
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
