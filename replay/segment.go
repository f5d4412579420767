package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// A segment is a header of headerSize bytes followed by records, each with a head of
// record.HeadSize bytes. All numbers are little-endian, all checksums CRC-32C.
//
//	header  magic "TENGENRG", version uint32, the run's identity uint64 (0: none),
//	        checksum of these 20 bytes uint32
//	record  length of the payload uint32, checksum of the payload uint32,
//	        checksum of these 8 bytes uint32, payload: an encoded game
const (
	segmentMagic   = "TENGENRG"
	segmentVersion = 4
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

// Owner says which run a folder of segments belongs to.
type Owner struct {
	Run  runid.ID
	Seed uint64 // which every record of a game has
}

// check returns an error, which wraps runid.ErrOtherRun, if a segment is of another run, as its
// header or its first game tells. What is damaged is not an error: Load reports it.
func (o Owner) check(s owned) error {
	if s.marked {
		if err := runid.Check(o.Run, s.run); err != nil {
			return err
		}
	}
	if s.any {
		return o.CheckGame(s.first)
	}
	return nil
}

// CheckGame returns an error, which wraps runid.ErrOtherRun, if a game belongs to a run of another
// seed.
func (o Owner) CheckGame(g *record.Game) error { return o.checkSeed(g.Number, g.Seed) }

// checkSeed is CheckGame for a game of a number and a seed.
func (o Owner) checkSeed(number, seed uint64) error {
	if seed != o.Seed {
		return fmt.Errorf("%w: game %d was played with seed %d, this run's is %d",
			runid.ErrOtherRun, number, seed, o.Seed)
	}
	return nil
}

// checkJournal returns an error, which wraps runid.ErrOtherRun, if a game in a file of a journal is
// of another run. run is the identity in the file's header, 0 if that is damaged.
func (o Owner) checkJournal(run runid.ID, g *record.Game) error {
	if o.Run != 0 && run != 0 {
		if err := runid.Check(o.Run, run); err != nil {
			return err
		}
	}
	return o.CheckGame(g)
}

// Runs returns the identities that the segments of a folder carry, in order of their number: 0 for
// those that carry none. It leaves out those whose header is damaged.
func Runs(fsys vfs.FS, dir string) ([]runid.ID, error) {
	segments, err := Segments(fsys, dir)
	if err != nil {
		return nil, err
	}
	var list []runid.ID
	for _, s := range segments {
		got, err := ownerOf(fsys, s.Path)
		if err != nil {
			return nil, err
		}
		if got.marked {
			list = append(list, got.run)
		}
	}
	return list, nil
}

// owned is what a segment tells of its run.
type owned struct {
	run    runid.ID
	marked bool         // the header can be read
	first  *record.Game // the first readable game
	any    bool         // there is one
}

func ownerOf(fsys vfs.FS, path string) (o owned, err error) {
	r, err := OpenSegment(fsys, path)
	if err != nil {
		return o, err
	}
	o.marked = true
	for {
		g, e := r.Next()
		if d := (*Damage)(nil); errors.As(e, &d) {
			if d.Offset == 0 {
				o.marked = false
			}
			continue
		}
		if e == nil {
			o.first, o.any = g, true
		} else if !errors.Is(e, io.EOF) {
			err = e
		}
		break
	}
	o.run = r.Run()
	if e := r.Close(); err == nil && e != nil {
		err = fmt.Errorf("read segment %s: %w", path, e)
	}
	return o, err
}
