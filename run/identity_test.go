package run

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tengen/configs"
	_ "tengen/game/all"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// identified is an identity by hand; the second configuration is of after a change.
func identified(t testing.TB) *Identity {
	t.Helper()
	c := configs.Default()
	id, err := NewIdentity(&c, "somewhere", time.Unix(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	id.ID = 0xd7f41d02919287fa // whatever the defaults are
	changed := c
	changed.Training.Iterations++
	id.Config, id.Previous = &changed, &c
	return id
}

// TestIdentityGolden: the file stays readable, and is what is written today.
func TestIdentityGolden(t *testing.T) {
	golden := filepath.Join("testdata", "run.json")
	want := identified(t)
	f := Folder("r").On(vfstest.NewMemory())
	if err := vfs.MkdirAll(f.FS, "r"); err != nil {
		t.Fatal(err)
	}
	if err := f.writeIdentity(want); err != nil {
		t.Fatal(err)
	}
	got, err := f.ReadIdentity()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v: %+v, want %+v", err, got, want)
	}
	text, err := os.ReadFile(golden)
	if os.IsNotExist(err) {
		written, _ := vfs.ReadFile(f.FS, f.Identity())
		t.Fatalf("%v; it would be\n%s", os.WriteFile(golden, written, 0o644), written)
	}
	// Defaults and keys change with the program; identity and seed do not.
	got, err = DecodeIdentity(text)
	if err != nil || got.ID.String() != "d7f41d02919287fa" || got.Previous == nil ||
		got.Config.Seed != 1 {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestInterruptedChange: wherever a process ends while it changes the configuration, the run
// reads as before or after the change, never as edited by hand.
func TestInterruptedChange(t *testing.T) {
	was := configs.Default()
	id, err := NewIdentity(&was, "", time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	now := was
	now.Search.Simulations++
	for cut := range 40 {
		f := Folder("r").On(&ending{FS: vfstest.NewMemory(), left: 1 << 30}).Of(id)
		fresh := *id
		if err := f.Create(&fresh, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		f.FS.(*ending).left = cut
		failed := f.ChangeConfig(&fresh, &now, 3)
		f.FS.(*ending).left = 1 << 30
		read, err := f.ReadConfig()
		if err != nil {
			t.Fatal(err)
		}
		again, err := f.ReadIdentity()
		if err != nil || again.ID != id.ID {
			t.Fatalf("cut %d: %v", cut, err)
		}
		if list := configs.Changes(again.Written(read), read); len(list) > 0 {
			t.Fatalf("cut %d: %v", cut, list)
		}
		if failed == nil {
			if read.Search.Simulations != now.Search.Simulations {
				t.Fatal("the change is not there")
			}
			return
		}
	}
	t.Fatal("it never ended")
}

// ending is a file system whose operations fail once some are done.
type ending struct {
	vfs.FS
	left int
}

func (e *ending) step() error {
	if e.left--; e.left < 0 {
		return os.ErrPermission
	}
	return nil
}

func (e *ending) Rename(from, to string) error {
	if err := e.step(); err != nil {
		return err
	}
	return e.FS.Rename(from, to)
}

func (e *ending) SyncDir(name string) error {
	if err := e.step(); err != nil {
		return err
	}
	return e.FS.SyncDir(name)
}

// FuzzIdentity: whatever run.json holds, reading it ends without a panic, and what is read is
// whole.
func FuzzIdentity(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "run.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.Replace(text, []byte(`"version": 1`), []byte(`"version": 2`), 1))
	f.Add([]byte(`{"format": "tengen run", "version": 1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if id, err := DecodeIdentity(text); err == nil && (id.ID == 0 || id.Config == nil) {
			t.Errorf("%+v", id)
		}
	})
}
