// Package lockfile lets one process at a time work in a folder, by an advisory
// lock on a file in it that ends with its process, however that ends: nothing
// is left to clear away after a crash, a kill or a power cut.
//
// [Acquire] takes the lock and writes into the file who holds it. Where another
// has it, the error wraps [ErrHeld] and names the holder in one line:
//
//	lock, err := lockfile.Acquire("runs/first/LOCK", "tengen train --run runs/first")
//	if err != nil {
//		return err // runs/first is in use by process 1234 (tengen train --run runs/first) since 12:03 on box
//	}
//	defer lock.Release()
//
// [Holder] says who holds a lock without waiting for it or changing anything.
//
// The file itself stays for ever, empty while nobody holds the lock: removing
// it would let two processes hold locks on two files of the same name. What it
// says counts only while the lock is held, so the name of a process that has
// died in it means nothing.
//
// Caveats: the lock binds only those who ask for it. It is flock on Unix and
// LockFileEx on Windows; elsewhere, and on file systems without locks, Acquire
// fails with errors.ErrUnsupported. On network file systems it holds between
// machines only where those pass locks on (Linux does for NFS). Removing the
// file by hand while it is held makes way for a second holder.
package lockfile
