package errorfs

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"tengen/vfs"
)

// FS is a file system some operations of which fail. It carries out one operation
// at a time.
type FS struct {
	mu     sync.Mutex
	fsys   vfs.FS
	inject Injector
	failed *Op
	log    []string
}

var _ vfs.FS = (*FS)(nil)

// New returns a file system that passes operations on to fsys, except for those
// that inject lets fail; nil: none.
func New(fsys vfs.FS, inject Injector) *FS { return &FS{fsys: fsys, inject: inject} }

// Inject replaces the injector and clears what Failed and Log return.
func (f *FS) Inject(inject Injector) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inject, f.failed, f.log = inject, nil, nil
}

// Failed returns the first operation that the injector let fail, or nil.
func (f *FS) Failed() *Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Log lists all operations, those that failed included.
func (f *FS) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// do carries out one operation, or half of it before it fails with a Partial
// error; half may be nil.
func (f *FS) do(kind Kind, path string, whole func() error, half func()) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	op := Op{kind, path}
	f.log = append(f.log, op.String())
	if f.inject == nil {
		return whole()
	}
	err := f.inject(op)
	if err == nil {
		return whole()
	}
	if f.failed == nil {
		f.failed = &op
	}
	if p, ok := err.(partial); ok {
		err = p.error
		if half != nil {
			half()
		}
	}
	return &fs.PathError{Op: kind.String(), Path: path, Err: err}
}

// get is do for an operation that returns a value.
func get[T any](f *FS, kind Kind, path string, whole func() (T, error)) (v T, err error) {
	err = f.do(kind, path, func() (err error) {
		v, err = whole()
		return err
	}, nil)
	return v, err
}

// OpenFile implements vfs.FS.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	kind := Open
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0 {
		kind = Create
	}
	return get(f, kind, name, func() (vfs.File, error) {
		file, err := f.fsys.OpenFile(name, flag, perm)
		if err != nil {
			return nil, err
		}
		return &opened{file, f, name}, nil
	})
}

// Mkdir implements vfs.FS.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	return f.do(Mkdir, name, func() error { return f.fsys.Mkdir(name, perm) }, nil)
}

// Rename implements vfs.FS.
func (f *FS) Rename(from, to string) error {
	return f.do(Rename, from, func() error { return f.fsys.Rename(from, to) }, nil)
}

// RemoveAll implements vfs.FS. Half of it removes every other entry of a folder, durably.
func (f *FS) RemoveAll(name string) error {
	return f.do(Remove, name, func() error { return f.fsys.RemoveAll(name) }, func() {
		entries, _ := f.fsys.ReadDir(name)
		for i, e := range entries {
			if i%2 == 0 {
				_ = f.fsys.RemoveAll(filepath.Join(name, e.Name()))
			}
		}
		_ = f.fsys.SyncDir(name)
	})
}

// ReadDir implements vfs.FS.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	return get(f, List, name, func() ([]fs.DirEntry, error) { return f.fsys.ReadDir(name) })
}

// Stat implements vfs.FS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	return get(f, Stat, name, func() (fs.FileInfo, error) { return f.fsys.Stat(name) })
}

// SyncDir implements vfs.FS.
func (f *FS) SyncDir(name string) error {
	return f.do(SyncDir, name, func() error { return f.fsys.SyncDir(name) }, nil)
}

// Lock implements vfs.FS.
func (f *FS) Lock(name, command string) (io.Closer, error) {
	return get(f, Lock, name, func() (io.Closer, error) { return f.fsys.Lock(name, command) })
}

// LockHolder implements vfs.FS; it counts as a Stat.
func (f *FS) LockHolder(name string) (*vfs.Holder, error) {
	return get(f, Stat, name, func() (*vfs.Holder, error) { return f.fsys.LockHolder(name) })
}

// opened is an open file.
type opened struct {
	file vfs.File
	fsys *FS
	name string
}

func (o *opened) Read(p []byte) (int, error) {
	return get(o.fsys, Read, o.name, func() (int, error) { return o.file.Read(p) })
}

func (o *opened) ReadAt(p []byte, off int64) (int, error) {
	return get(o.fsys, Read, o.name, func() (int, error) { return o.file.ReadAt(p, off) })
}

func (o *opened) Write(p []byte) (n int, err error) {
	write := func(p []byte) (err error) {
		n, err = o.file.Write(p)
		return err
	}
	err = o.fsys.do(Write, o.name, func() error { return write(p) }, func() {
		_ = write(p[:len(p)/2])
	})
	return n, err
}

func (o *opened) Sync() error { return o.fsys.do(Sync, o.name, o.file.Sync, nil) }

func (o *opened) Close() error { return o.fsys.do(Close, o.name, o.file.Close, nil) }

func (o *opened) Stat() (fs.FileInfo, error) { return get(o.fsys, Stat, o.name, o.file.Stat) }
