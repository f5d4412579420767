package run

import (
	"errors"
	"os"
	"strings"
	"testing"

	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// TestNotes: notes are kept, refused if they were changed in between, and bounded.
func TestNotes(t *testing.T) {
	f := Folder(t.TempDir()).On(nil)
	if n, err := f.ReadNotes(); err != nil || n != (Notes{}) {
		t.Fatalf("without any: %+v, %v", n, err)
	}
	first, err := f.WriteNotes("# Larger network\n\nfrom Monday", "")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.ReadNotes(); err != nil || n != first || n.Title() != "Larger network" {
		t.Fatalf("%+v, %v", n, err)
	}
	if now, err := f.WriteNotes("mine", ""); !errors.Is(err, ErrNotesChanged) || now != first {
		t.Errorf("overwritten unseen: %+v, %v", now, err)
	}
	if _, err := f.WriteNotes("", first.Version); err != nil {
		t.Errorf("emptied: %v", err)
	}
	for _, text := range []string{strings.Repeat("x", MaxNotes+1), "\xff", "a\x00b"} {
		if _, err := f.WriteNotes(text, notesOf("").Version); !errors.Is(err, ErrNotesText) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	entries, err := os.ReadDir(string(f.Folder))
	if err != nil || len(entries) != 1 {
		t.Errorf("besides the notes: %v, %v", entries, err)
	}
}

// TestNotesSurviveEveryFault: whatever operation fails, the notes are the old ones or the new.
func TestNotesSurviveEveryFault(t *testing.T) {
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for n := 1; ; n++ {
			disk := vfstest.NewMemory()
			if err := vfs.MkdirAll(disk, "run"); err != nil {
				t.Fatal(err)
			}
			old, err := Files{Folder: "run", FS: disk}.WriteNotes("old", "")
			if err != nil {
				t.Fatal(err)
			}
			failing := vfstest.NewFaulty(disk, vfstest.At(n, mode))
			_, err = Files{Folder: "run", FS: failing}.WriteNotes("new", old.Version)
			disk.PowerCut(nil)
			kept, readErr := Files{Folder: "run", FS: disk}.ReadNotes()
			if readErr != nil || kept.Text != "old" && kept.Text != "new" ||
				err == nil && kept.Text != "new" {
				t.Fatalf("mode %d, operation %d (%v), error %v: %+v, %v",
					mode, n, failing.Failed(), err, kept, readErr)
			}
			if failing.Failed() == nil {
				if n < 5 {
					t.Fatalf("only %d operations were disturbed", n)
				}
				break
			}
		}
	}
}
