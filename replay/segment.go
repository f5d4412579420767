package replay

import (
	"encoding/binary"
	"errors"
	"fmt"

	"tengen/internal/runid"
	"tengen/replay/record"
)

// A segment is a header of headerSize bytes followed by records, each with a head of
// record.HeadSize bytes. All numbers are little-endian, all checksums CRC-32C.
//
//	header  magic "TENGENRG", version uint32, the run's identity uint64 (0: none),
//	        checksum of these 20 bytes uint32
//	record  length of the payload uint32, checksum of the payload uint32,
//	        checksum of these 8 bytes uint32, payload: one zstd frame of an encoded game
const (
	segmentMagic   = "TENGENRG"
	segmentVersion = 3
	headerSize     = 24
)

// Extension is the extension of a segment's file name.
const Extension = ".games"

// ErrVersion is wrapped by errors about files of a version that this program does not read.
var ErrVersion = errors.New("unknown version")

// segmentHeader returns the header of a segment of a run; 0 is none.
func segmentHeader(run runid.ID) []byte {
	h := binary.LittleEndian.AppendUint32([]byte(segmentMagic), segmentVersion)
	h = binary.LittleEndian.AppendUint64(h, uint64(run))
	return binary.LittleEndian.AppendUint32(h, record.Checksum(h))
}

// checkHeader returns the run in the header h of a segment. records says whether records may follow
// a header that is not right: yes if only the header is damaged, no if the file is something else.
func checkHeader(h []byte) (run runid.ID, records bool, err error) {
	const end = headerSize - 4
	sum, version := binary.LittleEndian.Uint32(h[end:]), binary.LittleEndian.Uint32(h[8:])
	right := sum == record.Checksum(h[:end])
	switch {
	case string(h[:8]) != segmentMagic:
		return 0, !right,
			fmt.Errorf("not a replay segment: it begins with %q, not %q", h[:8], segmentMagic)
	case !right:
		return 0, true, fmt.Errorf("the header's checksum is %#08x, but it has %#08x",
			record.Checksum(h[:end]), sum)
	case version != segmentVersion:
		return 0, false,
			fmt.Errorf("%w %d of a replay segment; this program reads version %d",
				ErrVersion, version, segmentVersion)
	}
	return runid.ID(binary.LittleEndian.Uint64(h[12:])), true, nil
}
