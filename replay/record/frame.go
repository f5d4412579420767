package record

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

const (
	// HeadSize is the size in bytes of the head of a record: the length of the payload uint32, the
	// checksum of the payload uint32, the checksum of these 8 bytes uint32; little-endian. The
	// payload is an encoded game.
	HeadSize = 12
	// MaxSize is the maximum size in bytes of an encoded game. A 1,000-ply game of 19×19 Go with
	// visits for every action takes less than 1 MiB; a tree's state for three players takes 6 bytes
	// on average.
	MaxSize = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of b.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// ValidHead reports whether the checksum of a record's head is right.
func ValidHead(head []byte) bool {
	return binary.LittleEndian.Uint32(head[8:]) == Checksum(head[:8])
}

// Append appends a game as a record of a segment: a head with checksums, and the encoded game. It
// returns the error of Check.
func Append(dst []byte, g *Game) ([]byte, error) {
	start := len(dst)
	b, err := AppendEncoded(append(dst, make([]byte, HeadSize)...), g)
	if err != nil {
		return dst, err
	}
	payload := b[start+HeadSize:]
	if len(payload) > MaxSize {
		return dst, tooLarge(g, len(payload))
	}
	head := b[start : start+HeadSize]
	binary.LittleEndian.PutUint32(head, uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[4:], Checksum(payload))
	binary.LittleEndian.PutUint32(head[8:], Checksum(head[:8]))
	return b, nil
}

func tooLarge(g *Game, size int) error {
	states := 0
	for k := range g.Trees {
		states += len(g.Trees[k].Depths)
	}
	return fmt.Errorf("encode game %d: %d bytes, with %d moves and %d tree states; the maximum of a record is %d bytes", g.Number, size, len(g.Moves), states, MaxSize)
}

// DecodeAll decodes records that Append has appended, at most limit. They must fill data and be
// whole.
func DecodeAll(data []byte, limit int) ([]*Game, error) {
	var games []*Game
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
		g, err := Decode(payload)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(games), err)
		}
		games = append(games, g)
		data = data[HeadSize+int(length):]
	}
	return games, nil
}
