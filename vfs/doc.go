// Package vfs is the file system that everything durable is written through:
// the interface [FS], the operating system's implementation [OS], writes that
// survive a crash, files of JSON lines ([Journal]), and locks that end with their process.
//
// # Durable writes
//
// [WriteFile] and [WriteFolder] leave, whenever the process dies or the power
// fails, either all of the new content under its name or what was there before.
// They write under a temporary name beside the final one (".NAME.tmp"), fsync
// every file and the folder, rename, and fsync the parent: without the last
// step a power cut can undo the rename. They return every error, that of Close
// included, and try to remove the temporary name after one; [Clean] removes what
// a crash left behind.
//
//	err := vfs.WriteFile(vfs.OS{}, "eval/000042.json", func(w io.Writer) error {
//		return json.NewEncoder(w).Encode(result)
//	})
//
// # Locks
//
// FS.Lock takes an advisory lock on a file, such as a run's LOCK, and writes into
// the file who holds it. The operating system drops the lock when the process
// ends, however it ends, so a crash leaves nothing to clear away. If another
// process holds the lock, the error wraps [ErrLocked] and names the holder:
//
//	lock, err := fsys.Lock("runs/first/LOCK", "tengen train --run runs/first")
//	if err != nil {
//		return err // runs/first is in use by process 1234 (tengen train --run runs/first) since 12:03 on box
//	}
//	defer lock.Close()
//
// FS.LockHolder says who holds a lock and changes nothing.
//
// The file stays when the lock is released, and is empty then: removing it would
// let two processes lock two files of the same name. Its text counts only while
// the lock is held, so the name of a process that has died means nothing.
//
// # Implementations
//
// [OS] is the operating system's file system. Package vfstest has one that keeps files in memory
// and simulates power cuts, and one that makes operations of another fail.
//
// # Caveats
//
// A path has one writer at a time, since its temporary name is fixed. A failed
// fsync is not retried: the kernel may have dropped the data, so a second success
// would mean nothing.
//
// A lock binds only those who ask for it. It is flock on Unix and LockFileEx on
// Windows; elsewhere, and on file systems without locks, Lock fails with
// errors.ErrUnsupported. On network file systems it holds between machines only if
// the file system forwards locks (NFS does on Linux). If somebody removes the file
// while the lock is held, a second process can take the lock.
package vfs
