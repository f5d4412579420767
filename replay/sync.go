package replay

import (
	"fmt"
	"os"

	"tengen/vfs"
)

// Sync makes durable what is in a folder: the newest segment, which a Log that
// was killed may have written to without a Commit, and the names of all. The
// earlier ones are durable already, since a Log leaves none behind before it is.
//
// Whoever takes a run up calls it before anything is built on what Load returns:
// else games that were read from the memory of a machine, and counted since by a
// checkpoint, could be gone after a power cut. Nothing is done where there is no
// such folder.
func Sync(fsys vfs.FS, dir string) error {
	segments, err := Segments(fsys, dir)
	if err != nil || len(segments) == 0 {
		return err
	}
	path := segments[len(segments)-1].Path
	f, err := fsys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("sync replay: %w", err)
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("sync replay segment %s: %w", path, err)
	}
	return nil
}
