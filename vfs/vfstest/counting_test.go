package vfstest

import (
	"os"
	"testing"

	"tengen/vfs"
)

// TestCounting: every operation counts, with the bytes and the entries that it moves.
func TestCounting(t *testing.T) {
	c := &Counting{FS: NewMemory()}
	var before Counts
	check := func(what string, err error, want Counts) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := c.Counts().Since(before); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
		before = c.Counts()
	}
	check("Mkdir", c.Mkdir("a", 0o755), Counts{Operations: 1})
	var f vfs.File
	open := func(flag int) (err error) {
		f, err = c.OpenFile("a/b", flag, 0o644)
		return err
	}
	check("OpenFile", open(os.O_WRONLY|os.O_CREATE), Counts{Operations: 1})
	_, err := f.Write([]byte("hello"))
	check("Write", err, Counts{Operations: 1, Written: 5})
	check("Sync", f.Sync(), Counts{Operations: 1})
	check("Close", f.Close(), Counts{})
	check("SyncDir", c.SyncDir("a"), Counts{Operations: 1})
	check("Rename", c.Rename("a/b", "a/c"), Counts{Operations: 1})
	check("Rename back", c.Rename("a/c", "a/b"), Counts{Operations: 1})
	check("OpenFile", open(os.O_RDONLY), Counts{Operations: 1})
	_, err = f.Read(make([]byte, 4))
	check("Read", err, Counts{Operations: 1, Read: 4})
	_, err = f.ReadAt(make([]byte, 3), 1)
	check("ReadAt", err, Counts{Operations: 1, Read: 3})
	_, err = f.Stat()
	check("File.Stat", err, Counts{Operations: 1})
	_, err = c.Stat("a")
	check("Stat", err, Counts{Operations: 1})
	_, err = c.ReadDir("a")
	check("ReadDir", err, Counts{Operations: 1, Entries: 1})
	check("RemoveAll", c.RemoveAll("a"), Counts{Operations: 1})
}
