package vfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Holder is the process that holds a lock, as the lock's file says in JSON.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`   // when it took the lock, by its own clock
	Command string    `json:"command"` // as a person would type it
}

// maxCommand is how many bytes of a command the file keeps.
const maxCommand = 1024

func thisProcess(command string) Holder {
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // for people only
	}
	return Holder{PID: os.Getpid(), Host: host, Since: time.Now().Round(0), Command: command}
}

// running returns false if the process is known to have died.
func (h *Holder) running() bool {
	host, err := os.Hostname()
	return err != nil || h.Host != host || alive(h.PID)
}

// ErrLocked is wrapped by the error of Lock if the lock is held.
var ErrLocked = errors.New("in use by another process")

// LockedError says who holds a lock.
type LockedError struct {
	Path   string    // the lock's file
	Holder *Holder   // nil: its name can't be read
	At     time.Time // when the lock was asked for
}

// Error is one line: "runs/first is in use by process 1234 (tengen train) since 12:03 on box".
func (e *LockedError) Error() string {
	folder := filepath.Dir(e.Path)
	if e.Holder == nil {
		return fmt.Sprintf(
			"%s is in use by another process, which has not written its name into %s",
			folder, filepath.Base(e.Path))
	}
	return fmt.Sprintf("%s is in use by %s", folder, e.Holder.Describe(e.At))
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// Describe returns the process in words, with the time in now's time zone and the
// date if it is not now's: "process 1234 (tengen train) since 12:03 on box".
func (h *Holder) Describe(now time.Time) string {
	if h.PID == 0 {
		return "a process that has not written its name"
	}
	text := fmt.Sprintf("process %d", h.PID)
	if c := printable(h.Command); c != "" {
		text += " (" + c + ")"
	}
	if !h.Since.IsZero() {
		form := "15:04"
		since := h.Since.In(now.Location())
		if since.Format(time.DateOnly) != now.Format(time.DateOnly) {
			form = "2006-01-02 15:04"
		}
		text += " since " + since.Format(form)
	}
	if host := printable(h.Host); host != "" {
		text += " on " + host
	}
	return text
}

// printable returns text on one line and without control characters.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
}
