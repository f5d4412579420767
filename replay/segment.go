package replay

import (
	"encoding/binary"
	"errors"
	"fmt"

	"tengen/internal/runid"
	"tengen/replay/record"
)

// A segment is a header of headerSize1 or headerSize2 bytes followed by records, each with a head
// of HeadSize bytes. All numbers are little-endian, all checksums CRC-32C.
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
)

// Extension is the extension of a segment's file name.
const Extension = ".games"

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
	return binary.LittleEndian.AppendUint32(h, record.Checksum(h))
}

// checkHeader returns the length of the header at a segment's beginning h, which has headerSize2+HeadSize bytes or is the
// whole segment of at least headerSize1, and the run in it. records says whether records may follow a header that
// is not right: yes if only the header is damaged, no if the file is something else.
func checkHeader(h []byte) (size int, run runid.ID, records bool, err error) {
	version := binary.LittleEndian.Uint32(h[8:])
	// The record after a damaged header tells how long it is.
	second := len(h) >= headerSize2+record.HeadSize && record.ValidHead(h[headerSize2:headerSize2+record.HeadSize])
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
		return size, 0, true, fmt.Errorf("the header's checksum is %#08x, but it has %#08x", record.Checksum(h[:end]), binary.LittleEndian.Uint32(h[end:]))
	case size == headerSize1 && version != segmentVersion1 || size == headerSize2 && version != segmentVersion2:
		return size, 0, false, fmt.Errorf("%w %d of a replay segment; this program reads versions %d and %d", ErrVersion, version, segmentVersion1, segmentVersion2)
	case size == headerSize2 && run == 0:
		return size, 0, true, errors.New("the header carries no identity")
	}
	return size, run, true, nil
}

// sums reports whether a header of size bytes has the right checksum.
func sums(h []byte, size int) bool {
	return binary.LittleEndian.Uint32(h[size-4:]) == record.Checksum(h[:size-4])
}
