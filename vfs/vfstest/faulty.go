package vfstest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"tengen/vfs"
)

// Faulty is a file system some operations of which fail. It carries out one operation
// at a time.
type Faulty struct {
	mu     sync.Mutex
	fsys   vfs.FS
	inject Injector
	failed *Op
	log    []string
}

var _ vfs.FS = (*Faulty)(nil)

// NewFaulty returns a file system that passes operations on to fsys, except for those
// that inject lets fail; nil: none.
func NewFaulty(fsys vfs.FS, inject Injector) *Faulty { return &Faulty{fsys: fsys, inject: inject} }

// Inject replaces the injector and clears what Failed and Log return.
func (f *Faulty) Inject(inject Injector) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inject, f.failed, f.log = inject, nil, nil
}

// Failed returns the first operation that the injector let fail, or nil.
func (f *Faulty) Failed() *Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Log lists all operations, those that failed included.
func (f *Faulty) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// do carries out one operation, or half of it before it fails with a Partial
// error; half may be nil.
func (f *Faulty) do(kind Kind, path string, whole func() error, half func()) error {
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
func get[T any](f *Faulty, kind Kind, path string, whole func() (T, error)) (v T, err error) {
	err = f.do(kind, path, func() (err error) {
		v, err = whole()
		return err
	}, nil)
	return v, err
}

// OpenFile implements vfs.FS.
func (f *Faulty) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
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
func (f *Faulty) Mkdir(name string, perm fs.FileMode) error {
	return f.do(Mkdir, name, func() error { return f.fsys.Mkdir(name, perm) }, nil)
}

// Rename implements vfs.FS.
func (f *Faulty) Rename(from, to string) error {
	return f.do(Rename, from, func() error { return f.fsys.Rename(from, to) }, nil)
}

// RemoveAll implements vfs.FS. Half of it removes every other entry of a folder, durably.
func (f *Faulty) RemoveAll(name string) error {
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
func (f *Faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	return get(f, List, name, func() ([]fs.DirEntry, error) { return f.fsys.ReadDir(name) })
}

// Stat implements vfs.FS.
func (f *Faulty) Stat(name string) (fs.FileInfo, error) {
	return get(f, Stat, name, func() (fs.FileInfo, error) { return f.fsys.Stat(name) })
}

// Free implements vfs.FS; it counts as a Stat.
func (f *Faulty) Free(name string) (int64, error) {
	return get(f, Stat, name, func() (int64, error) { return f.fsys.Free(name) })
}

// SyncDir implements vfs.FS.
func (f *Faulty) SyncDir(name string) error {
	return f.do(SyncDir, name, func() error { return f.fsys.SyncDir(name) }, nil)
}

// Lock implements vfs.FS.
func (f *Faulty) Lock(name, command string) (io.Closer, error) {
	return get(f, Lock, name, func() (io.Closer, error) { return f.fsys.Lock(name, command) })
}

// LockHolder implements vfs.FS; it counts as a Stat.
func (f *Faulty) LockHolder(name string) (*vfs.Holder, error) {
	return get(f, Stat, name, func() (*vfs.Holder, error) { return f.fsys.LockHolder(name) })
}

// opened is an open file.
type opened struct {
	file vfs.File
	fsys *Faulty
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

// ErrInjected is the error of operations that At lets fail.
var ErrInjected = errors.New("injected fault")

// Kind is a kind of operation; kinds can be combined with |.
type Kind uint16

// The kinds of operations.
const (
	Open   Kind = 1 << iota // OpenFile for reading
	Create                  // OpenFile for writing
	Read                    // Read and ReadAt
	Write
	Sync
	Close
	Mkdir
	Rename
	Remove // RemoveAll
	List   // ReadDir
	Stat
	SyncDir
	Lock
)

var kindNames = map[Kind]string{
	Open: "open", Create: "create", Read: "read", Write: "write", Sync: "sync", Close: "close",
	Mkdir:  "mkdir",
	Rename: "rename", Remove: "remove", List: "list", Stat: "stat", SyncDir: "syncdir",
	Lock: "lock",
}

// String is the name of a single kind, as "syncdir".
func (k Kind) String() string { return kindNames[k] }

// Op is one operation.
type Op struct {
	Kind Kind   // a single one
	Path string // the old name of a Rename
}

// String is the kind and the path, as "sync runs/a/.b.tmp".
func (o Op) String() string { return o.Kind.String() + " " + o.Path }

// Injector returns the error with which an operation fails, or nil to carry it
// out. A Faulty calls it for one operation at a time, in their order.
type Injector func(op Op) error

// Predicate reports whether an operation is among those chosen.
type Predicate func(op Op) bool

// Fail lets operations fail with err for which all predicates hold.
func Fail(err error, when ...Predicate) Injector {
	chosen := All(when...)
	return func(op Op) error {
		if chosen(op) {
			return err
		}
		return nil
	}
}

// First returns the first error of injectors. All of them see every operation.
func First(injectors ...Injector) Injector {
	return func(op Op) (err error) {
		for _, inject := range injectors {
			if e := inject(op); err == nil {
				err = e
			}
		}
		return err
	}
}

// partial marks the error of an operation that is done by half.
type partial struct{ error }

func (p partial) Unwrap() error { return p.error }

// Partial returns err for an Injector: with it a write writes half of its bytes,
// and a removal removes half of a folder's content, before they fail with err.
// Other operations do nothing.
func Partial(err error) error { return partial{err} }

// All holds if all predicates do. It asks them in order, up to the first that does not.
func All(predicates ...Predicate) Predicate {
	return func(op Op) bool {
		for _, p := range predicates {
			if !p(op) {
				return false
			}
		}
		return true
	}
}

// OpKind holds for operations of the given kinds.
func OpKind(kinds Kind) Predicate { return func(op Op) bool { return op.Kind&kinds != 0 } }

// PathMatch holds if the last part of the path matches a pattern of filepath.Match.
func PathMatch(pattern string) Predicate {
	return func(op Op) bool {
		ok, err := filepath.Match(pattern, filepath.Base(op.Path))
		return ok && err == nil
	}
}

// OnIndex holds the nth time that it is asked, counted from 1.
func OnIndex(n int) Predicate {
	asked := 0
	return func(Op) bool {
		asked++
		return asked == n
	}
}

// FromIndex holds the nth time that it is asked, counted from 1, and ever after.
func FromIndex(n int) Predicate {
	asked := 0
	return func(Op) bool {
		asked++
		return asked >= n
	}
}

// Mode is a way in which operations fail from a point on.
type Mode int

// The modes.
const (
	Once Mode = iota // the operation does nothing and fails; later ones succeed
	Torn             // as Once, but the operation may be done by half (Partial)
	Dead             // as Torn, and all later operations fail: the process has died
)

// At lets the nth operation, counted from 1, fail with ErrInjected; 0: none.
func At(n int, mode Mode) Injector {
	switch {
	case n <= 0:
		return nil
	case mode == Once:
		return Fail(ErrInjected, OnIndex(n))
	case mode == Torn:
		return Fail(Partial(ErrInjected), OnIndex(n))
	}
	return First(Fail(Partial(ErrInjected), OnIndex(n)), Fail(ErrInjected, FromIndex(n+1)))
}
