package vfs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"tengen/internal/machine"
)

// FS is a file system. Its errors are those of package os, so that
// errors.Is(err, fs.ErrNotExist) and the like hold. Implementations are safe for
// concurrent use.
type FS interface {
	// OpenFile opens a file with the flags of package os (os.O_RDONLY,
	// os.O_WRONLY|os.O_CREATE|os.O_EXCL and so on).
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Mkdir creates a folder in an existing one.
	Mkdir(name string, perm fs.FileMode) error
	// Rename moves a file or folder within one file system, atomically, and
	// replaces a file that has the new name.
	Rename(from, to string) error
	// RemoveAll removes a file, or a folder and all its content. It returns nil
	// if there is nothing of that name.
	RemoveAll(name string) error
	// ReadDir lists a folder, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat describes a file or folder.
	Stat(name string) (fs.FileInfo, error)
	// Free returns the bytes that are free, for an unprivileged user, on the file system of a file
	// or folder. The error is errors.ErrUnsupported where that is not known.
	Free(name string) (int64, error)
	// SyncDir makes the names in a folder durable: files created, renamed and
	// removed in it stay so after a power cut.
	SyncDir(name string) error

	// Lock takes the lock of a file, creates the file if it is missing, and
	// holds the lock until Close or the end of the process, even if the result is
	// no longer referenced. command says what this process does, as a person would
	// type it; it is for others to read. If another process, or another Lock of
	// this one, holds the lock, the error is a *LockedError.
	Lock(name, command string) (io.Closer, error)
	// LockHolder returns who holds the lock of a file, and nil if nobody does or
	// the file does not exist. The PID is 0 if the holder's name can't be read.
	LockHolder(name string) (*Holder, error)
}

// File is an open file, for use by one goroutine.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	// Sync makes the content durable, not the file's name.
	Sync() error
	// Close may report that earlier writes failed.
	Close() error
	Stat() (fs.FileInfo, error)
}

// OS is the operating system's file system.
type OS struct{}

// OpenFile is os.OpenFile.
func (OS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // a nil *os.File in the interface would not be nil
	}
	return f, nil
}

// Mkdir is os.Mkdir.
func (OS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// Rename is os.Rename.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// RemoveAll is os.RemoveAll.
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// ReadDir is os.ReadDir.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Stat is os.Stat.
func (OS) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Free asks the operating system.
func (OS) Free(name string) (int64, error) {
	free, _, err := machine.DiskSpace(name)
	if err != nil {
		return 0, &fs.PathError{Op: "free space", Path: name, Err: err}
	}
	return int64(free), nil
}

// SyncDir opens the folder and calls fsync. It does nothing on Windows, where
// folders can't be synced and metadata is journaled.
func (OS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	err = cmp.Or(err, d.Close())
	return err
}

// ReadFile reads a whole file.
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	err = cmp.Or(err, f.Close())
	return data, err
}

// ErrTooLong is wrapped by errors about files that are longer than they may be.
var ErrTooLong = errors.New("too long")

// ReadFileUpTo reads a whole file of at most limit bytes. It reads no more of a longer one; the
// error then wraps ErrTooLong.
func ReadFileUpTo(fsys FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	err = cmp.Or(err, f.Close())
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("read %s: %w: more than %d bytes", name, ErrTooLong, limit)
	}
	return data, err
}
