package replay

import (
	"errors"
	"fmt"
	"io"

	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
)

// Owner says which run a folder of segments belongs to.
type Owner struct {
	Run  runid.ID
	Seed uint64 // which every record of a game has
}

// Check returns an error, which wraps runid.ErrOtherRun and names the segment, if a folder holds a
// segment of another run. It reads the header and the first game of each segment. What is damaged
// is not an error: Load reports it.
func (o Owner) Check(fsys vfs.FS, dir string) error {
	segments, err := Segments(fsys, dir)
	if err != nil {
		return err
	}
	for _, s := range segments {
		got, err := ownerOf(fsys, s.Path)
		if err != nil {
			return err
		}
		if got.marked {
			err = runid.Check(o.Run, got.run)
		}
		if err == nil && got.any {
			err = o.CheckGame(got.first)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	return nil
}

// CheckGame returns an error, which wraps runid.ErrOtherRun, if a game belongs to a run of another
// seed.
func (o Owner) CheckGame(g *record.Game) error {
	if g.Seed != o.Seed {
		return fmt.Errorf("%w: game %d was played with seed %d, this run's is %d",
			runid.ErrOtherRun, g.Number, g.Seed, o.Seed)
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
