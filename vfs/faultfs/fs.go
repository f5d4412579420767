package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/vfs"
)

// ErrInjected is what a failing operation returns, wrapped in a PathError.
var ErrInjected = errors.New("injected fault")

// Mode says how an operation fails.
type Mode int

const (
	Once Mode = iota // the operation does nothing, returns an error, and all goes on
	Torn             // as Once, but a write writes half of its bytes first
	Dead             // as Torn, and every later operation fails too, until PowerCut or Restart
)

// FS is a file system in memory. The folder "." and, as its other name, "/"
// exist from the start.
type FS struct {
	mu     sync.Mutex
	root   *node
	ops    int
	failAt int
	mode   Mode
	failed bool
	log    []string
}

var _ vfs.FS = (*FS)(nil)

// node is a file (names is nil) or a folder.
type node struct {
	data, syncedData   []byte
	names, syncedNames map[string]*node
}

func newFolder() *node {
	return &node{names: map[string]*node{}, syncedNames: map[string]*node{}}
}

// New makes an empty file system in which nothing fails.
func New() *FS { return &FS{root: newFolder()} }

// FailAt lets the nth operation from now on fail, counted from 1; 0: none.
func (f *FS) FailAt(n int, mode Mode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ops, f.failAt, f.mode, f.failed, f.log = 0, n, mode, false, nil
}

// Failed says whether the operation chosen by FailAt has come.
func (f *FS) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// Log lists the operations since FailAt, as "sync runs/a/.b.tmp", reads included.
func (f *FS) Log() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

// Restart ends what FailAt began and keeps what the process saw, as after
// kill -9. Files that were open must not be used any more.
func (f *FS) Restart() { f.FailAt(0, Once) }

// PowerCut ends what FailAt began and loses what was not synced: all of it,
// or, with a source of randomness, each unsynced name and tail by chance.
func (f *FS) PowerCut(rng *rand.Rand) {
	f.FailAt(0, Once)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.root.powerCut(rng)
}

func (n *node) powerCut(rng *rand.Rand) {
	if n.names == nil {
		// Appended bytes may have reached the disk in part; the rest of the
		// unsynced content is taken as lost.
		keep := len(n.syncedData)
		if rng != nil && len(n.data) > keep && string(n.data[:keep]) == string(n.syncedData) {
			keep += rng.IntN(len(n.data) - keep + 1)
			n.syncedData = slices.Clone(n.data[:keep])
		}
		n.data = slices.Clone(n.syncedData)
		return
	}
	// A name is as it was or as it has become, never gone in between: renames
	// are atomic.
	after := map[string]*node{}
	for name, child := range n.syncedNames {
		after[name] = child
	}
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
	n.names, n.syncedNames = after, map[string]*node{}
	for _, name := range sortedNames(after) {
		n.syncedNames[name] = after[name]
		after[name].powerCut(rng)
	}
}

func sortedNames(m map[string]*node) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// step counts one operation and says whether it fails. The lock is held.
func (f *FS) step(op, name string) error {
	if f.failed && f.mode == Dead {
		return &fs.PathError{Op: op, Path: name, Err: ErrInjected}
	}
	f.ops++
	f.log = append(f.log, op+" "+name)
	if f.ops == f.failAt {
		f.failed = true
		return &fs.PathError{Op: op, Path: name, Err: ErrInjected}
	}
	return nil
}

func parts(name string) []string {
	name = strings.Trim(filepath.ToSlash(filepath.Clean(name)), "/")
	if name == "." || name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// find returns the node of a path, and nil where there is none.
func (f *FS) find(name string) *node {
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
func (f *FS) parent(op, name string) (*node, string, error) {
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

// OpenFile opens or makes a file. Writing always appends.
func (f *FS) OpenFile(name string, flag int, _ fs.FileMode) (vfs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("open", name); err != nil {
		return nil, err
	}
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

// Mkdir makes a folder.
func (f *FS) Mkdir(name string, _ fs.FileMode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("mkdir", name); err != nil {
		return err
	}
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

// Rename moves a file or folder; a folder that is not empty is not replaced.
func (f *FS) Rename(from, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("rename", from); err != nil {
		return err
	}
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

// RemoveAll removes a file or a folder with what it holds. Where it is torn, half of a folder's
// content is gone.
func (f *FS) RemoveAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dead := f.failed && f.mode == Dead
	err := f.step("remove", name)
	n := f.find(name)
	if err != nil {
		if n != nil && n.names != nil && !dead && f.mode != Once {
			for i, child := range sortedNames(n.names) {
				if i%2 == 0 {
					delete(n.names, child)
					delete(n.syncedNames, child) // it may well have reached the disk
				}
			}
		}
		return err
	}
	if n == nil {
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
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("list", name); err != nil {
		return nil, err
	}
	n := f.find(name)
	if n == nil || n.names == nil {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	var list []fs.DirEntry
	for _, child := range sortedNames(n.names) {
		list = append(list, fs.FileInfoToDirEntry(info{child, n.names[child].names != nil, int64(len(n.names[child].data))}))
	}
	return list, nil
}

// Stat describes a file or folder.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("stat", name); err != nil {
		return nil, err
	}
	n := f.find(name)
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return info{filepath.Base(name), n.names != nil, int64(len(n.data))}, nil
}

// SyncDir makes a folder's names durable.
func (f *FS) SyncDir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.step("syncdir", name); err != nil {
		return err
	}
	n := f.find(name)
	if n == nil || n.names == nil {
		return &fs.PathError{Op: "syncdir", Path: name, Err: fs.ErrNotExist}
	}
	n.syncedNames = map[string]*node{}
	for child, m := range n.names {
		n.syncedNames[child] = m
	}
	return nil
}

// file is an open file.
type file struct {
	fsys *FS
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
	if err := h.fsys.step("read", h.name); err != nil {
		return 0, err
	}
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
	dead := h.fsys.failed && h.fsys.mode == Dead
	if err := h.fsys.step("write", h.name); err != nil {
		n := 0
		if !dead && h.fsys.mode != Once {
			n = len(p) / 2
			h.node.data = append(h.node.data, p[:n]...)
		}
		return n, err
	}
	h.node.data = append(h.node.data, p...)
	return len(p), nil
}

func (h *file) Sync() error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	if err := h.fsys.step("sync", h.name); err != nil {
		return err
	}
	h.node.syncedData = slices.Clone(h.node.data)
	return nil
}

func (h *file) Close() error {
	h.fsys.mu.Lock()
	defer h.fsys.mu.Unlock()
	return h.fsys.step("close", h.name)
}

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
