package lockfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Process is who holds a lock, as the file says in JSON.
type Process struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`   // when it took the lock, by its own clock
	Command string    `json:"command"` // as a person would type it
}

// maxCommand is how much of a command the file keeps, in bytes.
const maxCommand = 1024

func thisProcess(command string) Process {
	if len(command) > maxCommand {
		command = strings.ToValidUTF8(command[:maxCommand], "") + "…"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // it is for people only
	}
	return Process{PID: os.Getpid(), Host: host, Since: time.Now().Round(0), Command: command}
}

// running is false where the process is known to have died.
func (p *Process) running() bool {
	host, err := os.Hostname()
	return err != nil || p.Host != host || alive(p.PID)
}

// ErrHeld is wrapped by the error of Acquire where another holds the lock.
var ErrHeld = errors.New("in use by another process")

// HeldError says who holds a lock.
type HeldError struct {
	Path   string   // the lock's file
	Holder *Process // nil: its name can't be read
	now    time.Time
}

func newHeldError(path string, who *Process, now time.Time) *HeldError {
	return &HeldError{Path: path, Holder: who, now: now}
}

// Error is one line: "runs/first is in use by process 1234 (tengen train) since 12:03 on box".
func (e *HeldError) Error() string {
	folder := filepath.Dir(e.Path)
	if e.Holder == nil {
		return fmt.Sprintf("%s is in use by another process, which has not written its name into %s", folder, filepath.Base(e.Path))
	}
	return fmt.Sprintf("%s is in use by %s", folder, e.Holder.Describe(e.now))
}

// Unwrap gives ErrHeld.
func (e *HeldError) Unwrap() error { return ErrHeld }

// Describe is the process in words, the time as it is told at now, in now's
// time zone: "process 1234 (tengen train) since 12:03 on box".
func (p *Process) Describe(now time.Time) string {
	if p.PID == 0 {
		return "a process that has not written its name"
	}
	text := fmt.Sprintf("process %d", p.PID)
	if c := printable(p.Command); c != "" {
		text += " (" + c + ")"
	}
	if !p.Since.IsZero() {
		form := "15:04"
		since := p.Since.In(now.Location())
		if since.Format(time.DateOnly) != now.Format(time.DateOnly) {
			form = "2006-01-02 15:04"
		}
		text += " since " + since.Format(form)
	}
	if h := printable(p.Host); h != "" {
		text += " on " + h
	}
	return text
}

// printable is text that fits in a line, whatever stands in the file.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
}
