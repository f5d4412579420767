package vfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var disk OS

func TestLockAndClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	if who, err := disk.LockHolder(path); who != nil || err != nil {
		t.Fatalf("no file: held by %v, error %v", who, err)
	}
	for range 2 {
		l, err := disk.Lock(path, "tengen train quick")
		if err != nil {
			t.Fatal(err)
		}
		who, err := disk.LockHolder(path)
		if err != nil || who == nil || who.PID != os.Getpid() ||
			who.Command != "tengen train quick" || time.Since(who.Since).Abs() > time.Minute {
			t.Fatalf("held by %+v, error %v", who, err)
		}
		second, err := disk.Lock(path, "another")
		if second != nil || !errors.Is(err, ErrLocked) {
			t.Fatalf("a second lock: %v, error %v", second, err)
		}
		for range 2 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if who, err := disk.LockHolder(path); who != nil || err != nil {
			t.Fatalf("after Close: held by %v, error %v", who, err)
		}
		if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
			t.Fatalf("after Close the file holds %q, error %v", text, err)
		}
	}
}

// What an earlier holder left in the file is ignored and replaced.
func TestStaleTextIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	for _, stale := range []string{
		"", "{", "\x00\xff",
		`{"pid": 1, "host": "elsewhere", "command": "` + strings.Repeat("x", 5000) + `"}`,
		strings.Repeat("y", 1<<20),
	} {
		if err := os.WriteFile(path, []byte(stale), 0o644); err != nil {
			t.Fatal(err)
		}
		if who, err := disk.LockHolder(path); who != nil || err != nil {
			t.Fatalf("%.20q: held by %v, error %v", stale, who, err)
		}
		l, err := disk.Lock(path, "now")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), `{"pid":`) ||
			!strings.HasSuffix(string(text), `"command":"now"}`+"\n") || len(text) > 500 {
			t.Fatalf("the file holds %q, error %v", text, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A lock is held too if the holder's name can't be read or names a process that
// has died: Lock then retries longer before it fails.
func TestHolderThatCannotBeNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	l, err := disk.Lock(path, "first")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	const noProcess = `{"pid": 2147483646, "command": "dead", "host": "`
	for _, c := range []struct{ text, want string }{
		{"nonsense", " is in use by another process, which has not written its name into LOCK"},
		{noProcess + host + `"}`, " is in use by process 2147483646 (dead) on " + host},
		{`{"pid": -5}`, " is in use by another process, which has not written its name into LOCK"},
		{noProcess + host + `"}` + strings.Repeat(" ", maxText),
			" is in use by process 2147483646 (dead) on " + host},
		{`{"host": "x"}`,
			" is in use by another process, which has not written its name into LOCK"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil { // into the same file
			t.Fatal(err)
		}
		pauses := 0
		_, err := acquire(path, "second", retries{tries: 5, pause: func() { pauses++ }})
		if pauses != 4 {
			t.Errorf("%.99s: %d pauses between five tries", c.text, pauses)
		}
		if !errors.Is(err, ErrLocked) || err.Error() != filepath.Dir(path)+c.want {
			t.Errorf("%s: got error %v, want %s", c.text, err, c.want)
		}
		if who, err := disk.LockHolder(path); who == nil || err != nil {
			t.Errorf("%s: held by %v, error %v", c.text, who, err)
		}
	}
}

// A holder that is named is looked at twice; the lock is taken if it is released in between.
func TestHolderThatIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	l, err := disk.Lock(path, "first")
	if err != nil {
		t.Fatal(err)
	}
	pauses := 0
	p := retries{tries: 5, pause: func() { pauses++ }}
	var locked *LockedError
	if _, err := acquire(path, "second", p); !errors.As(err, &locked) || pauses != 1 ||
		locked.Holder.Command != "first" {
		t.Errorf("after %d pauses: error %v", pauses, err)
	}
	// Whether a process of another machine has died is not known.
	if err := os.WriteFile(path,
		[]byte(`{"pid": 2147483646, "host": "another machine", "command": "far"}`),
		0o644); err != nil { // into the same file
		t.Fatal(err)
	}
	pauses = 0
	if _, err := acquire(path, "second", p); !errors.As(err, &locked) || pauses != 1 ||
		locked.Holder.Command != "far" {
		t.Errorf("after %d pauses: error %v", pauses, err)
	}
	p.pause = func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	second, err := acquire(path, "second", p)
	if err != nil {
		t.Fatalf("a lock that is released meanwhile: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

// TestPause: between two tries a holder has time to write its name.
func TestPause(t *testing.T) {
	began := time.Now()
	if usual.pause(); time.Since(began) < 10*time.Millisecond {
		t.Errorf("a pause of %v", time.Since(began))
	}
}

// Of many goroutines that lock at once, one holds the lock at a time.
func TestMutualExclusion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	var inside, taken atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				l, err := acquire(path, "one of many", retries{tries: 1})
				if errors.Is(err, ErrLocked) {
					time.Sleep(100 * time.Microsecond)
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				taken.Add(1)
				time.Sleep(100 * time.Microsecond)
				inside.Add(-1)
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if taken.Load() < 8 {
		t.Errorf("the lock was taken %d times", taken.Load())
	}
}

// LockHolder, called all the time, does not keep others from taking the lock.
func TestLookingIsHarmless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := disk.LockHolder(path); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(50 * time.Microsecond)
		}
	})
	for range 50 {
		// On a loaded machine the one who looks may be stopped while it looks, again and again.
		l, err := acquire(path, "", retries{tries: 1000, pause: usual.pause})
		if err != nil {
			t.Error(err)
			break
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	group.Wait()
}

// Locking a file that was removed or replaced after it was opened fails: it is not
// the file of that name.
func TestRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	file, err := openLock(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := os.Remove(path); err != nil {
		t.Skip(err)
	}
	if _, err := take(file, ""); !errors.Is(err, errReplaced) {
		t.Errorf("removed: got error %v", err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := take(file, ""); !errors.Is(err, errReplaced) {
		t.Errorf("replaced: got error %v", err)
	}
}

func TestLockSaysWhatIsWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "LOCK")
	if _, err := disk.Lock(path, ""); !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "lock "+path+": ") {
		t.Errorf("no folder: got error %v", err)
	}
}

func TestDescribe(t *testing.T) {
	zone := time.FixedZone("", 3600)
	now := time.Date(2026, 11, 21, 15, 0, 0, 0, zone)
	for _, c := range []struct {
		who  Holder
		want string
	}{
		{Holder{1234, "box", time.Date(2026, 11, 21, 11, 3, 9, 0, time.UTC), "tengen train quick"},
			"process 1234 (tengen train quick) since 12:03 on box"},
		{Holder{1234, "box", time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC), "x"},
			"process 1234 (x) since 00:30 on box"},
		{Holder{1234, "box", time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC), "x"},
			"process 1234 (x) since 2026-11-20 23:30 on box"},
		{Holder{7, "b\x1b[31mx", time.Time{}, "tengen\ntrain\x00 "},
			"process 7 (tengen train) on b [31mx"},
		{Holder{PID: 7}, "process 7"},
		{Holder{}, "a process that has not written its name"},
	} {
		if got := c.who.Describe(now); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if host, err := os.Hostname(); err == nil && thisProcess("x").Host != host {
		t.Errorf("the machine is named %q, not %q", thisProcess("x").Host, host)
	}
	if whole := strings.Repeat("x", maxCommand); thisProcess(whole).Command != whole {
		t.Error("a command that is not too long is cut")
	}
	long := thisProcess(strings.Repeat("é", maxCommand))
	if len(long.Command) > maxCommand+3 || !strings.HasSuffix(long.Command, "é…") {
		t.Errorf("a long command is kept as %d bytes: …%q",
			len(long.Command), long.Command[len(long.Command)-8:])
	}
	e := &LockedError{
		filepath.Join("runs", "x", "LOCK"), &Holder{1234, "box", now, "tengen train"}, now,
	}
	if got, want := e.Error(),
		filepath.Join("runs", "x")+
			" is in use by process 1234 (tengen train) since 15:00 on box"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
