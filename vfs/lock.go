package vfs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lock is a lock that this process holds.
type lock struct {
	mu   sync.Mutex
	file *os.File // nil: released
	path string
}

// heldFiles keeps the files of locks from being collected, which would close them.
var heldFiles sync.Map

// retries bounds how often a lock that is held is tried again. Two holders keep it
// for less than a moment: one that has taken it and not yet written its name, and
// a program that only looks (LockHolder).
type retries struct {
	tries int
	pause func() // between two
}

var usual = retries{tries: 10, pause: func() { time.Sleep(20 * time.Millisecond) }}

// Lock replaces what a holder that died left in the file. If the lock is held, it
// returns within a quarter of a second.
func (OS) Lock(name, command string) (io.Closer, error) {
	l, err := acquire(name, command, usual)
	if err != nil {
		return nil, err // a nil *lock in the interface would not be nil
	}
	return l, nil
}

func acquire(path, command string, p retries) (*lock, error) {
	fail := func(err error) (*lock, error) { return nil, fmt.Errorf("lock %s: %w", path, err) }
	for try := 1; ; try++ {
		file, err := openLock(path)
		if err != nil {
			return fail(err)
		}
		switch who, err := take(file, command); {
		case err == nil:
			heldFiles.Store(file, nil)
			return &lock{file: file, path: path}, nil
		case errors.Is(err, errReplaced) && try < p.tries:
		case !errors.Is(err, errWouldBlock):
			file.Close()
			return fail(err)
		// A holder that is named at the second try too and not known to have died holds the lock.
		case try >= p.tries || try > 1 && who != nil && who.running():
			file.Close()
			return nil, &LockedError{path, who, time.Now()}
		}
		file.Close()
		p.pause()
	}
}

var (
	errWouldBlock = errors.New("locked")
	errReplaced   = errors.New("the file was replaced meanwhile")
)

// openLock opens the file of a lock and creates it if it is missing.
func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

// take locks the file and writes into it who holds the lock. If it is locked
// already, the error is errWouldBlock and who is the holder, or nil if the file's
// text can't be read.
func take(file *os.File, command string) (who *Holder, err error) {
	switch err := tryLock(file, true); {
	case errors.Is(err, errWouldBlock):
		return readHolder(file), errWouldBlock
	case err != nil:
		return nil, err
	}
	// The file may have been removed after it was opened.
	now, err := os.Stat(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		return nil, errReplaced
	}
	if err != nil {
		return nil, err
	}
	if mine, err := file.Stat(); err != nil || !os.SameFile(mine, now) {
		return nil, errors.Join(errReplaced, err)
	}
	text, err := json.Marshal(thisProcess(command))
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(0); err != nil {
		return nil, err
	}
	// The lock holds without a name too, which is for people only: a full disk is
	// no reason to give it back.
	_, _ = file.WriteAt(append(text, '\n'), 0)
	return nil, nil
}

// Close releases the lock. The file stays, empty. A second call does nothing.
func (l *lock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	heldFiles.Delete(file)
	// Before the lock is released, so that the next holder's text stays.
	err := file.Truncate(0)
	err = cmp.Or(err, file.Close())
	if err != nil {
		return fmt.Errorf("unlock %s: %w", l.path, err)
	}
	return nil
}

// LockHolder takes the lock, shared, for less than a moment.
func (OS) LockHolder(name string) (*Holder, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer file.Close()
		if err = tryLock(file, false); err == nil {
			return nil, nil
		}
	}
	if !errors.Is(err, errWouldBlock) {
		return nil, fmt.Errorf("look at lock %s: %w", name, err)
	}
	who := readHolder(file)
	if who == nil {
		who = new(Holder)
	}
	return who, nil
}

// maxText bounds how many bytes of the file are read; a holder writes fewer.
const maxText = 16 << 10

// readHolder returns the holder whose name is in the file, or nil if it can't be read.
func readHolder(file *os.File) *Holder {
	text := make([]byte, maxText)
	n, err := file.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	var h Holder
	if json.Unmarshal(text[:n], &h) != nil || h.PID <= 0 {
		return nil
	}
	return &h
}

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
