package vfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func read(t *testing.T, fsys vfs.FS, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, fsys vfs.FS, dir string) string {
	t.Helper()
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

// onBoth runs a test on the operating system's file system and on one in memory.
func onBoth(t *testing.T, test func(t *testing.T, fsys vfs.FS, dir string)) {
	t.Run("os", func(t *testing.T) { test(t, vfs.OS{}, t.TempDir()) })
	t.Run("memory", func(t *testing.T) { test(t, vfstest.NewMemory(), ".") })
}

func TestWriteFile(t *testing.T) {
	onBoth(t, func(t *testing.T, fsys vfs.FS, dir string) {
		path := filepath.Join(dir, "a.txt")
		for _, want := range []string{"first, and longer", "second"} {
			if err := vfs.WriteFile(fsys, path, text(want)); err != nil {
				t.Fatal(err)
			}
			if got := read(t, fsys, path); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		refused := errors.New("no more")
		err := vfs.WriteFile(fsys, path, func(w io.Writer) error {
			io.WriteString(w, "third")
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatalf("got error %v, want the callback's", err)
		}
		if got := read(t, fsys, path); got != "second" {
			t.Fatalf("after a failed write the file holds %q", got)
		}
		if got := names(t, fsys, dir); got != "a.txt" {
			t.Fatalf("the folder holds %q", got)
		}
	})
}

func writePair(fsys vfs.FS, path, content string) error {
	return vfs.WriteFolder(fsys, path, func(d *vfs.Folder) error {
		if err := d.WriteFile("x", text(content)); err != nil {
			return err
		}
		return d.WriteFile("y", text(content))
	})
}

func TestWriteFolder(t *testing.T) {
	onBoth(t, func(t *testing.T, fsys vfs.FS, dir string) {
		path := filepath.Join(dir, "pair")
		if err := writePair(fsys, path, "one"); err != nil {
			t.Fatal(err)
		}
		if got := read(t, fsys, filepath.Join(path, "x")) + read(t, fsys,
			filepath.Join(path, "y")); got != "oneone" {
			t.Fatalf("got %q", got)
		}
		if err := writePair(fsys, path, "two"); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("writing over a folder: got error %v, want fs.ErrExist", err)
		}
		for _, bad := range []string{"", "..", "a/b", "/a", ".x.tmp"} {
			err := vfs.WriteFolder(fsys, filepath.Join(dir, "bad"), func(d *vfs.Folder) error {
				return d.WriteFile(bad, text(""))
			})
			if err == nil {
				t.Errorf("the file name %q is accepted", bad)
			}
		}
		if got := names(t, fsys, dir); got != "pair" {
			t.Fatalf("the folder holds %q", got)
		}
		if err := vfs.Remove(fsys, path); err != nil {
			t.Fatal(err)
		}
		if err := vfs.Remove(fsys, path); err != nil {
			t.Fatalf("removing what is not there: %v", err)
		}
		if got := names(t, fsys, dir); got != "" {
			t.Fatalf("after Remove the folder holds %q", got)
		}
	})
}

func TestMkdirAllAndClean(t *testing.T) {
	onBoth(t, func(t *testing.T, fsys vfs.FS, dir string) {
		deep := filepath.Join(dir, "a", "b", "c")
		for range 2 {
			if err := vfs.MkdirAll(fsys, deep); err != nil {
				t.Fatal(err)
			}
		}
		if err := vfs.WriteFile(fsys, filepath.Join(deep, "f"), text("")); err != nil {
			t.Fatal(err)
		}
		if err := vfs.MkdirAll(fsys, filepath.Join(deep, "f")); err == nil ||
			!strings.Contains(err.Error(), "a file has that name") {
			t.Fatalf("a folder over a file: got error %v", err)
		}
		if err := fsys.Mkdir(filepath.Join(deep, ".000001.tmp"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := vfs.Clean(fsys, deep); err != nil {
			t.Fatal(err)
		}
		if got := names(t, fsys, deep); got != "f" {
			t.Fatalf("after Clean the folder holds %q", got)
		}
		if err := vfs.Clean(fsys, filepath.Join(dir, "none")); err != nil {
			t.Fatalf("cleaning a folder that is not there: %v", err)
		}
	})
}

// everyFault runs job once for each operation that it makes, letting that one
// fail in each mode, and calls check on what is left afterwards.
func everyFault(
	t *testing.T, prepare, job func(fsys vfs.FS) error, check func(fsys vfs.FS, err error) error,
) {
	t.Helper()
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 5 { // 0: killed, no power cut; 1: all unsynced is lost; others: some of it
			for n := 1; ; n++ {
				disk := vfstest.NewMemory()
				if err := prepare(disk); err != nil {
					t.Fatal(err)
				}
				fsys := vfstest.NewFaulty(disk, vfstest.At(n, mode))
				err := job(fsys)
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
				}
				if e := check(disk, err); e != nil {
					t.Fatalf("mode %d, cut %d, failing operation %d (%v), error %v: %v",
						mode, cut, n, fsys.Failed(), err, e)
				}
				if fsys.Failed() == nil {
					if n < 5 {
						t.Fatalf("the job made %d operations only", n-1)
					}
					break
				}
			}
		}
	}
}

func TestWriteFileSurvivesEveryFault(t *testing.T) {
	everyFault(t,
		func(fsys vfs.FS) error { return vfs.WriteFile(fsys, "f", text("old")) },
		func(fsys vfs.FS) error { return vfs.WriteFile(fsys, "f", text("new content")) },
		func(fsys vfs.FS, err error) error {
			data, e := vfs.ReadFile(fsys, "f")
			switch got := string(data); {
			case e != nil:
				return e
			case got != "new content" && (got != "old" || err == nil):
				return fmt.Errorf("the file holds %q", got)
			}
			return nil
		})
}

func TestWriteFolderSurvivesEveryFault(t *testing.T) {
	everyFault(t,
		func(fsys vfs.FS) error {
			if err := vfs.MkdirAll(fsys, "d/e"); err != nil {
				return err
			}
			return fsys.Mkdir("d/e/.pair.tmp", 0o755) // what an earlier crash left
		},
		func(fsys vfs.FS) error { return writePair(fsys, "d/e/pair", "content") },
		func(fsys vfs.FS, err error) error {
			_, e := fsys.Stat("d/e/pair")
			if e != nil {
				if err == nil {
					return errors.New("WriteFolder returned, but the folder is gone")
				}
				return nil
			}
			for _, name := range []string{"x", "y"} {
				data, e := vfs.ReadFile(fsys, "d/e/pair/"+name)
				if e != nil || string(data) != "content" {
					return fmt.Errorf("%s holds %q, error %v", name, data, e)
				}
			}
			return nil
		})
}

func TestRemoveSurvivesEveryFault(t *testing.T) {
	everyFault(t,
		func(fsys vfs.FS) error { return writePair(fsys, "pair", "content") },
		func(fsys vfs.FS) error { return vfs.Remove(fsys, "pair") },
		func(fsys vfs.FS, err error) error {
			if _, e := fsys.Stat("pair"); e != nil {
				return nil
			} else if err == nil {
				return errors.New("Remove returned, but the folder is there")
			}
			for _, name := range []string{"x", "y"} {
				if data, e := vfs.ReadFile(fsys, "pair/"+name); e != nil ||
					string(data) != "content" {
					return fmt.Errorf("half a folder is left: %s holds %q, error %v", name, data, e)
				}
			}
			return nil
		})
}

// The tests above prove something only if a power cut hurts careless writers. Each
// of these leaves out one step.
func TestCarelessWritersAreCaught(t *testing.T) {
	write := func(fsys vfs.FS, name string, sync bool) {
		f, err := fsys.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "content")
		if sync {
			f.Sync()
		}
		f.Close()
	}
	for name, job := range map[string]func(fsys vfs.FS){
		"no fsync of the file": func(fsys vfs.FS) {
			write(fsys, "f.tmp", false)
			fsys.Rename("f.tmp", "f")
			fsys.SyncDir(".")
		},
		"no fsync of the folder": func(fsys vfs.FS) {
			write(fsys, "f.tmp", true)
			fsys.Rename("f.tmp", "f")
		},
	} {
		fsys := vfstest.NewMemory()
		job(fsys)
		if got := read(t, fsys, "f"); got != "content" {
			t.Fatalf("%s: before the power cut the file holds %q", name, got)
		}
		fsys.PowerCut(nil)
		if data, err := vfs.ReadFile(fsys, "f"); err == nil && string(data) == "content" {
			t.Errorf("%s: the content survives a power cut", name)
		}
	}
}

// A folder whose creator died before its name was durable becomes durable with the
// next MkdirAll; so does one in the middle of a path.
func TestMkdirAllAfterAKill(t *testing.T) {
	for n := 1; ; n++ {
		disk := vfstest.NewMemory()
		fsys := vfstest.NewFaulty(disk, vfstest.At(n, vfstest.Dead))
		_ = vfs.MkdirAll(fsys, "a/b/c")
		if err := vfs.MkdirAll(disk, "a/b/c"); err != nil {
			t.Fatal(err)
		}
		disk.PowerCut(nil)
		if _, err := disk.Stat("a/b/c"); err != nil {
			t.Fatalf("killed at operation %d, made again, and lost to a power cut: %v", n, err)
		}
		if fsys.Failed() == nil {
			break
		}
	}
}

// TestReadFileUpTo: a file of as many bytes as it may have is read, and nothing of one with more.
func TestReadFileUpTo(t *testing.T) {
	fsys := vfstest.NewMemory()
	if err := vfs.WriteBytes(fsys, "a", []byte("four")); err != nil {
		t.Fatal(err)
	}
	if data, err := vfs.ReadFileUpTo(fsys, "a", 4); err != nil || string(data) != "four" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := vfs.ReadFileUpTo(fsys, "a", 3); !errors.Is(err, vfs.ErrTooLong) || data != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := vfs.ReadFileUpTo(fsys, "b", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	broken := vfstest.NewFaulty(fsys,
		vfstest.Fail(vfstest.ErrInjected, vfstest.OpKind(vfstest.Read)))
	if _, err := vfs.ReadFileUpTo(broken, "a", 4); !errors.Is(err, vfstest.ErrInjected) {
		t.Errorf("a disk that can't be read: %v", err)
	}
}

// TestSyncDir: a folder that can't be synced is an error, as is one that does not exist.
func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := (vfs.OS{}).SyncDir(dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if (vfs.OS{}).SyncDir(filepath.Join(dir, "none")) == nil {
		t.Error("a folder that does not exist is synced")
	}
	if runtime.GOOS == "linux" && (vfs.OS{}).SyncDir("/proc") == nil { // fsync gives EINVAL
		t.Error("/proc is synced")
	}
}
