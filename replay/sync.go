package replay

import (
	"cmp"
	"fmt"
	"os"

	"tengen/vfs"
)

// Sync makes a folder durable: the contents of the newest segment, to which a killed
// process may have written without a Commit, and the names of all segments. Earlier
// segments are durable already, since a Log commits one before it begins the next.
//
// Call Sync when resuming a run, before relying on what Load returns: otherwise games
// that Load read from the page cache, and that a checkpoint counts since, could be lost
// in a power cut. Sync does nothing if there is no such folder.
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
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = fsys.SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("sync replay segment %s: %w", path, err)
	}
	return nil
}
