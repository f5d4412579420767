package vfstest_test

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"testing"

	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// TestPredicates checks which of six operations each predicate chooses.
func TestPredicates(t *testing.T) {
	ops := []vfstest.Op{
		{vfstest.Create, "run/a.games"}, {vfstest.Write, "run/a.games"},
		{vfstest.Sync, "run/a.games"},
		{vfstest.Create, "run/b.json"}, {vfstest.Write, "run/b.json"},
		{vfstest.Rename, "run/.b.json.tmp"},
	}
	writes, games := vfstest.OpKind(vfstest.Write|vfstest.Sync), vfstest.PathMatch("*.games")
	for name, c := range map[string]struct {
		p    vfstest.Predicate
		want []int
	}{
		"kinds":           {writes, []int{1, 2, 4}},
		"path":            {games, []int{0, 1, 2}},
		"all":             {vfstest.All(writes, games), []int{1, 2}},
		"all of none":     {vfstest.All(), []int{0, 1, 2, 3, 4, 5}},
		"index":           {vfstest.OnIndex(3), []int{2}},
		"index of a path": {vfstest.All(vfstest.PathMatch("b.*"), vfstest.OnIndex(2)), []int{4}},
		"from index":      {vfstest.All(writes, vfstest.FromIndex(2)), []int{2, 4}},
	} {
		inject := vfstest.Fail(vfstest.ErrInjected, c.p)
		var got []int
		for i, op := range ops {
			if inject(op) != nil {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestModes checks what each mode leaves of two writes and of later operations.
func TestModes(t *testing.T) {
	for mode, want := range map[vfstest.Mode]string{
		vfstest.Once: "cd", vfstest.Torn: "acd", vfstest.Dead: "a",
	} {
		disk := vfstest.NewMemory()
		fsys := vfstest.NewFaulty(disk, vfstest.At(2, mode))
		f, err := fsys.OpenFile("f", os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		_, first := f.Write([]byte("ab"))
		_, second := f.Write([]byte("cd"))
		data, err := vfs.ReadFile(disk, "f")
		if string(data) != want || err != nil || !errors.Is(first, vfstest.ErrInjected) ||
			(second != nil) != (mode == vfstest.Dead) {
			t.Errorf("mode %d: the file holds %q, errors %v, %v and %v, want %q",
				mode, data, err, first, second, want)
		}
		if got := fsys.Failed(); got == nil || got.String() != "write f" {
			t.Errorf("mode %d: failed: %v", mode, got)
		}
		if got := fsys.Log(); !slices.Equal(got, []string{"create f", "write f", "write f"}) {
			t.Errorf("mode %d: operations: %q", mode, got)
		}
	}
}

// A disk that is full for one kind of files fails with the operating system's error.
func TestFullDisk(t *testing.T) {
	fsys := vfstest.NewFaulty(vfstest.NewMemory(),
		vfstest.Fail(vfstest.Partial(syscall.ENOSPC), vfstest.OpKind(vfstest.Write),
			vfstest.PathMatch(".x.tmp")))
	var path *fs.PathError
	err := vfs.WriteBytes(fsys, "x", []byte("content"))
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &path) || path.Op != "write" ||
		path.Path != ".x.tmp" {
		t.Errorf("got error %v", err)
	}
	if err := vfs.WriteBytes(fsys, "y", []byte("content")); err != nil {
		t.Error(err)
	}
	fsys.Inject(nil)
	if err := vfs.WriteBytes(fsys, "x", []byte("content")); err != nil || fsys.Failed() != nil {
		t.Errorf("after there is room: %v, %v", err, fsys.Failed())
	}
}

// TestLock: locks in memory exclude each other, and end with Close or a power cut.
func TestLock(t *testing.T) {
	disk := vfstest.NewMemory()
	fsys := vfstest.NewFaulty(disk,
		vfstest.Fail(vfstest.ErrInjected, vfstest.OpKind(vfstest.Lock), vfstest.OnIndex(1)))
	if _, err := fsys.Lock("LOCK", "first"); !errors.Is(err, vfstest.ErrInjected) {
		t.Fatalf("got error %v", err)
	}
	lock, err := fsys.Lock("LOCK", "first")
	if err != nil {
		t.Fatal(err)
	}
	var locked *vfs.LockedError
	if _, err := fsys.Lock("./LOCK", "second"); !errors.Is(err, vfs.ErrLocked) ||
		!errors.As(err, &locked) || locked.Holder.Command != "first" {
		t.Fatalf("a second lock: error %v", err)
	}
	if who, err := fsys.LockHolder("LOCK"); err != nil || who == nil || who.Command != "first" {
		t.Fatalf("held by %v, error %v", who, err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fsys.Lock("LOCK", "second"); err != nil {
		t.Fatal(err)
	}
	disk.PowerCut(nil)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if who, err := fsys.LockHolder("LOCK"); err != nil || who != nil {
		t.Fatalf("after a power cut: held by %v, error %v", who, err)
	}
	if _, err := fsys.Lock("none/LOCK", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("no folder: error %v", err)
	}
}
