package vfstest

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/vfs"
)

// Memory is a file system in memory. The folder "." and, as its other name, "/"
// exist from the start.
type Memory struct {
	mu    sync.Mutex
	root  *node
	size  int64
	locks map[string]*lock // by cleaned path
}

var _ vfs.FS = (*Memory)(nil)

// node is a file (names is nil) or a folder.
type node struct {
	data, syncedData   []byte
	names, syncedNames map[string]*node
}

func newFolder() *node {
	return &node{names: map[string]*node{}, syncedNames: map[string]*node{}}
}

// NewMemory returns an empty file system of a tebibyte.
func NewMemory() *Memory {
	return &Memory{root: newFolder(), size: 1 << 40, locks: map[string]*lock{}}
}

// PowerCut ends all locks and loses what was not synced: all of it if rng is nil,
// otherwise each unsynced name and tail by chance. Open files must not be used
// afterwards.
func (f *Memory) PowerCut(rng *rand.Rand) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.locks)
	f.root.powerCut(rng)
}

func (n *node) powerCut(rng *rand.Rand) {
	if n.names == nil {
		// Part of the appended bytes may have reached the disk; other unsynced
		// content is lost.
		keep := len(n.syncedData)
		if rng != nil && len(n.data) > keep && string(n.data[:keep]) == string(n.syncedData) {
			keep += rng.IntN(len(n.data) - keep + 1)
			n.syncedData = slices.Clone(n.data[:keep])
		}
		n.data = slices.Clone(n.syncedData)
		return
	}
	// A name is the old or the new one, never missing in between: renames are
	// atomic.
	after := maps.Clone(n.syncedNames)
	if rng != nil {
		union := sortedNames(n.names)
		for _, name := range sortedNames(n.syncedNames) {
			if n.names[name] == nil {
				union = append(union, name)
			}
		}
		for _, name := range union {
			if rng.IntN(2) == 0 {
				continue
			}
			if child := n.names[name]; child != nil {
				after[name] = child
			} else {
				delete(after, name)
			}
		}
	}
	n.names, n.syncedNames = after, maps.Clone(after)
	for _, name := range sortedNames(after) {
		after[name].powerCut(rng)
	}
}

func sortedNames(m map[string]*node) []string { return slices.Sorted(maps.Keys(m)) }

func parts(name string) []string {
	name = strings.Trim(filepath.ToSlash(filepath.Clean(name)), "/")
	if name == "." || name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// find returns the node of a path, or nil.
func (f *Memory) find(name string) *node {
	n := f.root
	for _, p := range parts(name) {
		if n == nil || n.names == nil {
			return nil
		}
		n = n.names[p]
	}
	return n
}

// parent returns the folder that holds a path and the last part of its name.
func (f *Memory) parent(op, name string) (*node, string, error) {
	p := parts(name)
	if len(p) == 0 {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	dir := f.find(strings.Join(p[:len(p)-1], "/"))
	if dir == nil || dir.names == nil {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return dir, p[len(p)-1], nil
}

// OpenFile opens or creates a file. Writes always append.
func (f *Memory) OpenFile(name string, flag int, _ fs.FileMode) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open(name, flag)
}

// open opens or creates a file. The caller holds the mutex.
func (f *Memory) open(name string, flag int) (vfs.File, error) {
	dir, base, err := f.parent("open", name)
	if err != nil {
		return nil, err
	}
	n := dir.names[base]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n == nil:
		n = &node{}
		dir.names[base] = n
	case flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case n.names != nil && flag&(os.O_WRONLY|os.O_RDWR) != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	if flag&os.O_TRUNC != 0 {
		n.data = nil
	}
	return &file{fsys: f, node: n, name: name}, nil
}

// Mkdir creates a folder.
func (f *Memory) Mkdir(name string, _ fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, base, err := f.parent("mkdir", name)
	if err != nil {
		return err
	}
	if dir.names[base] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	dir.names[base] = newFolder()
	return nil
}

// Rename moves a file or folder. It does not replace a folder that is not empty.
func (f *Memory) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, aBase, err := f.parent("rename", from)
	if err != nil {
		return err
	}
	b, bBase, err := f.parent("rename", to)
	if err != nil {
		return err
	}
	n, old := a.names[aBase], b.names[bBase]
	if n == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if old != nil && len(old.names) > 0 {
		return &fs.PathError{Op: "rename", Path: to, Err: errors.New("directory not empty")}
	}
	delete(a.names, aBase)
	b.names[bBase] = n
	return nil
}

// RemoveAll removes a file, or a folder and its content.
func (f *Memory) RemoveAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.find(name) == nil {
		return nil
	}
	dir, base, err := f.parent("remove", name)
	if err != nil {
		return err
	}
	delete(dir.names, base)
	return nil
}

// ReadDir lists a folder.
func (f *Memory) ReadDir(name string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.find(name)
	if n == nil || n.names == nil {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	var list []fs.DirEntry
	for _, child := range sortedNames(n.names) {
		list = append(list,
			fs.FileInfoToDirEntry(info{
				child, n.names[child].names != nil, int64(len(n.names[child].data)),
			}))
	}
	return list, nil
}

// Stat describes a file or folder.
func (f *Memory) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.find(name)
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{filepath.Base(name), n.names != nil, int64(len(n.data))}, nil
}

// Resize sets the size of the disk, in bytes. Only Free knows it: writes do not fail for it.
func (f *Memory) Resize(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size = size
}

// Free returns what files leave of the disk's size.
func (f *Memory) Free(name string) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.find(name) == nil {
		return 0, &fs.PathError{Op: "free space", Path: name, Err: fs.ErrNotExist}
	}
	return max(0, f.size-f.root.bytes()), nil
}

// bytes returns the sum of the sizes of a file or of the files in a folder.
func (n *node) bytes() int64 {
	sum := int64(len(n.data))
	for _, child := range n.names {
		sum += child.bytes()
	}
	return sum
}

// SyncDir makes a folder's names durable.
func (f *Memory) SyncDir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.find(name)
	if n == nil || n.names == nil {
		return &fs.PathError{Op: "syncdir", Path: name, Err: fs.ErrNotExist}
	}
	n.syncedNames = maps.Clone(n.names)
	return nil
}

// Lock takes the lock of a file, which stays empty.
func (f *Memory) Lock(name, command string) (io.Closer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := filepath.Clean(name)
	if l := f.locks[path]; l != nil {
		return nil, &vfs.LockedError{Path: name, Holder: &l.Holder, At: time.Now()}
	}
	if _, err := f.open(name, os.O_RDWR|os.O_CREATE); err != nil {
		return nil, err
	}
	l := &lock{vfs.Holder{PID: os.Getpid(), Since: time.Now(), Command: command}, f, path}
	f.locks[path] = l
	return l, nil
}

// LockHolder returns who holds a lock.
func (f *Memory) LockHolder(name string) (*vfs.Holder, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.locks[filepath.Clean(name)]; l != nil {
		return &l.Holder, nil
	}
	return nil, nil
}

// lock is a lock that is held.
type lock struct {
	vfs.Holder
	fsys *Memory
	path string
}

// Close releases the lock.
func (l *lock) Close() error {
	l.fsys.mu.Lock()
	defer l.fsys.mu.Unlock()
	if l.fsys.locks[l.path] == l {
		delete(l.fsys.locks, l.path)
	}
	return nil
}

// file is an open file.
type file struct {
	fsys *Memory
	node *node
	name string
	pos  int64
}

func (h *file) Read(p []byte) (int, error) {
	n, err := h.ReadAt(p, h.pos)
	h.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (h *file) ReadAt(p []byte, off int64) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if off >= int64(len(h.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, h.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *file) Write(p []byte) (int, error) {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	h.node.data = append(h.node.data, p...)
	return len(p), nil
}

func (h *file) Sync() error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	h.node.syncedData = slices.Clone(h.node.data)
	return nil
}

func (h *file) Close() error { return nil }

func (h *file) Stat() (fs.FileInfo, error) { return h.fsys.Stat(h.name) }

type info struct {
	name   string
	folder bool
	size   int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.folder }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
