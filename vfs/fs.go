package vfs

import (
	"io"
	"io/fs"
	"os"
	"runtime"
)

// FS is what files are written and read through. Errors are those of package
// os: errors.Is(err, fs.ErrNotExist) and the like hold. Implementations are
// safe for concurrent use.
type FS interface {
	// OpenFile opens a file with the flags of package os (os.O_RDONLY,
	// os.O_WRONLY|os.O_CREATE|os.O_EXCL and so on).
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Mkdir makes one folder; its parent exists.
	Mkdir(name string, perm fs.FileMode) error
	// Rename moves a file or folder within one file system, atomically. A
	// file that has the new name already is replaced.
	Rename(from, to string) error
	// RemoveAll removes a file, or a folder with all that it holds. It
	// succeeds where there is nothing.
	RemoveAll(name string) error
	// ReadDir lists a folder in order of name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat describes a file or folder.
	Stat(name string) (fs.FileInfo, error)
	// SyncDir makes the names in a folder durable: files made, renamed and
	// removed in it stay so after a power cut.
	SyncDir(name string) error
}

// File is an open file. It is used by one goroutine.
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

// SyncDir opens the folder and calls fsync. On Windows, where a folder can't
// be synced and metadata is journaled, it does nothing.
func (OS) SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if e := d.Close(); err == nil {
		err = e
	}
	return err
}

// ReadFile reads a whole file.
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return data, err
}
