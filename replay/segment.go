package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A segment is a header of headerSize bytes followed by records, each with a head
// of recordHead bytes. All numbers are little-endian, all checksums CRC-32C.
//
//	header  magic "TENGENRG", version uint32, checksum of these 12 bytes uint32
//	record  length of the payload uint32, checksum of the payload uint32,
//	        checksum of these 8 bytes uint32, payload: one zstd frame of an encoded game
const (
	segmentMagic   = "TENGENRG"
	segmentVersion = 1
	headerSize     = 16
	recordHead     = 12
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

func segmentHeader() []byte {
	h := binary.LittleEndian.AppendUint32([]byte(segmentMagic), segmentVersion)
	return binary.LittleEndian.AppendUint32(h, checksum(h))
}

// checkHeader returns what is wrong with a segment's first headerSize bytes, and
// whether records may still follow: yes if only the header is damaged, no if the file
// is something else.
func checkHeader(h []byte) (records bool, err error) {
	sum, got := binary.LittleEndian.Uint32(h[12:]), checksum(h[:12])
	switch v := binary.LittleEndian.Uint32(h[8:]); {
	case string(h[:8]) != segmentMagic:
		return sum != got, fmt.Errorf("not a replay segment: it begins with %q, not %q", h[:8], segmentMagic)
	case sum != got:
		return true, fmt.Errorf("the header's checksum is %#08x, but it has %#08x", got, sum)
	case v != segmentVersion:
		return false, fmt.Errorf("%w %d of a replay segment; this program reads version %d", ErrVersion, v, segmentVersion)
	}
	return true, nil
}

// codec returns the compressor and decompressor. EncodeAll and DecodeAll are safe for
// concurrent use.
var codec = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRecord))
	if err != nil {
		panic(err)
	}
	return enc, dec
})

// appendRecord appends a game as a record of a segment. raw is scratch space, which it
// returns, possibly grown.
func appendRecord(dst, raw []byte, g *Game) (record, scratch []byte, err error) {
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
func decodePayload(payload, raw []byte) (g *Game, scratch []byte, err error) {
	_, dec := codec()
	raw, err = dec.DecodeAll(payload, raw[:0])
	if err != nil {
		return nil, raw, fmt.Errorf("decompress: %w", err)
	}
	g, err = Decode(raw)
	return g, raw, err
}
