package vfs

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	filePerm   = 0o644
	folderPerm = 0o755
)

// temporary returns the name under which path is written until it is complete.
func temporary(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp")
}

// IsTemporary reports whether name (without its folder) is a temporary name, and
// so that of something incomplete.
func IsTemporary(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp")
}

// WriteBytes is WriteFile for data in memory.
func WriteBytes(fsys FS, path string, data []byte) error {
	return WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFile calls write with a buffered writer and puts what it wrote under path,
// all of it or, after an error, nothing. It replaces a file of that name. The
// folder must exist.
func WriteFile(fsys FS, path string, write func(w io.Writer) error) error {
	tmp := temporary(path)
	err := writeSynced(fsys, tmp, os.O_TRUNC, write)
	if err == nil {
		err = fsys.Rename(tmp, path)
	}
	if err != nil {
		_ = fsys.RemoveAll(tmp) // a leftover is harmless: Clean and the next write remove it
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := fsys.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: sync its folder: %w", path, err)
	}
	return nil
}

// writeSynced creates and fills a file and syncs its content.
func writeSynced(fsys FS, name string, flag int, write func(w io.Writer) error) error {
	f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, filePerm)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		if err = f.Sync(); err != nil {
			err = fmt.Errorf("sync: %w", err)
		}
	}
	err = cmp.Or(err, f.Close())
	return err
}

// Folder is a folder that WriteFolder is filling.
type Folder struct {
	fsys FS
	path string
}

// WriteFile adds a file and syncs it. name has no folder part and is written
// only once.
func (d *Folder) WriteFile(name string, write func(w io.Writer) error) error {
	if name == "" || name != filepath.Base(name) || IsTemporary(name) {
		return fmt.Errorf("write %q: not a plain file name", name)
	}
	if err := writeSynced(d.fsys, filepath.Join(d.path, name), os.O_EXCL, write); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// WriteFolder calls fill and puts a new folder with the files that it wrote under
// path, all of them or, after an error, nothing. The parent must exist. If path
// exists, the error wraps fs.ErrExist.
func WriteFolder(fsys FS, path string, fill func(d *Folder) error) error {
	if _, err := fsys.Stat(path); err == nil {
		return fmt.Errorf("write folder %s: %w", path, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write folder %s: %w", path, err)
	}
	tmp := temporary(path)
	err := fsys.RemoveAll(tmp)
	if err == nil {
		err = fsys.Mkdir(tmp, folderPerm)
	}
	if err == nil {
		err = fill(&Folder{fsys, tmp})
	}
	if err == nil {
		err = fsys.SyncDir(tmp)
	}
	if err == nil {
		err = fsys.Rename(tmp, path)
	}
	if err != nil {
		_ = fsys.RemoveAll(tmp) // as in WriteFile
		return fmt.Errorf("write folder %s: %w", path, err)
	}
	if err := fsys.SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write folder %s: sync its parent: %w", path, err)
	}
	return nil
}

// Remove removes a file or folder so that a crash leaves it whole or gone, never
// half of it under its name. It returns nil if there is nothing of that name.
func Remove(fsys FS, path string) error {
	tmp := temporary(path)
	err := fsys.RemoveAll(tmp)
	if err == nil {
		err = fsys.Rename(path, tmp)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		// The new name must be durable before anything inside is removed: otherwise a
		// power cut could bring back the old name with half of its content.
		err = fsys.SyncDir(filepath.Dir(path))
	}
	if err == nil {
		err = fsys.RemoveAll(tmp)
	}
	if err == nil {
		err = fsys.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// MkdirAll creates a folder and its missing parents, durably. If the folder
// exists, its name is synced too: its creator may have died before that.
func MkdirAll(fsys FS, path string) error {
	fail := func(err error) error { return fmt.Errorf("make folder %s: %w", path, err) }
	parent := filepath.Dir(path)
	info, err := fsys.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return fail(errors.New("a file has that name"))
	case err == nil:
		// This program has created nothing in a parent that it may not read.
		if err := fsys.SyncDir(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fail(fmt.Errorf("sync its parent: %w", err))
		}
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	}
	if parent != path {
		if err := MkdirAll(fsys, parent); err != nil {
			return err
		}
	}
	if err := fsys.Mkdir(path, folderPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return fail(err)
	}
	if err := fsys.SyncDir(parent); err != nil {
		return fail(fmt.Errorf("sync its parent: %w", err))
	}
	return nil
}

// Clean removes from a folder what a crash left incomplete. It returns nil if the
// folder does not exist.
func Clean(fsys FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil && IsTemporary(e.Name()) {
			err = fsys.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("clean %s: %w", dir, err)
	}
	return nil
}
