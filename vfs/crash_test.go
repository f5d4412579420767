//go:build unix

package vfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary, started with these variables, is another process:
//
//	holder   takes the lock, starts an idle process, says so and waits
//	idle     waits for the end of its input
const (
	roleVariable = "TENGEN_VFS_TEST_ROLE"
	pathVariable = "TENGEN_VFS_TEST_PATH"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "holder":
		hold(os.Getenv(pathVariable))
	case "idle":
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	default:
		os.Exit(m.Run())
	}
}

func another(role, path string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	return c
}

func hold(path string) {
	if _, err := disk.Lock(path, "holder"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	idle := another("idle", "")
	idle.Stdin = os.Stdin
	if err := idle.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("held")
	time.Sleep(time.Hour)
}

// Kill -9 ends the lock, even if a child process of the holder lives on.
func TestKillEndsTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "LOCK")
	for range 3 { // from the second time on the file holds the name of the dead
		child := another("holder", path)
		end, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer end.Close() // then the idle process ends
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
			t.Fatalf("the child says %q, error %v", line, err)
		}
		_, err = disk.Lock(path, "test")
		var h *LockedError
		if !errors.Is(err, ErrLocked) || !errors.As(err, &h) || h.Holder == nil ||
			h.Holder.PID != child.Process.Pid {
			t.Fatalf("while process %d holds the lock: got error %v", child.Process.Pid, err)
		}
		want := fmt.Sprintf("%s is in use by process %d (holder) since ",
			filepath.Dir(path), child.Process.Pid)
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %q, want %q", err, want)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if _, err := child.Process.Wait(); err != nil {
			t.Fatal(err)
		}
		if who, err := disk.LockHolder(path); who != nil || err != nil {
			t.Fatalf("after kill -9: held by %v, error %v", who, err)
		}
		text, err := os.ReadFile(path)
		if err != nil ||
			!strings.Contains(string(text), fmt.Sprintf(`"pid":%d,`, child.Process.Pid)) {
			t.Fatalf("after kill -9 the file holds %q, error %v", text, err)
		}
	}
	l, err := disk.Lock(path, "test")
	if err != nil {
		t.Fatalf("after kill -9: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
