package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Lock is a lock that this process holds. It is held until Release or the end
// of the process, whether or not the Lock is still referred to.
type Lock struct {
	mu   sync.Mutex
	file *os.File // nil: released
	path string
}

// held keeps the files of locks from being collected, which would close them.
var held sync.Map

// patience is for how long a lock that somebody holds is tried again: holders
// that have just taken it, and have yet to write who they are, and programs
// that only look (Holder) are there for less than a moment.
type patience struct {
	tries int
	pause time.Duration
}

var usual = patience{tries: 10, pause: 20 * time.Millisecond}

// Acquire takes the lock of the folder that path lies in, which exists. command
// says what this process does there, as a person would type it. Where another
// process, or another Lock of this one, holds it, the error is a *HeldError; it
// comes within a quarter of a second. The file is made where it is missing;
// what a holder that has died left in it is replaced.
func Acquire(path, command string) (*Lock, error) { return acquire(path, command, usual) }

func acquire(path, command string, p patience) (*Lock, error) {
	fail := func(err error) (*Lock, error) { return nil, fmt.Errorf("lock %s: %w", path, err) }
	for try := 1; ; try++ {
		file, err := open(path)
		if err != nil {
			return fail(err)
		}
		switch who, err := take(file, command); {
		case err == nil:
			held.Store(file, nil)
			return &Lock{file: file, path: path}, nil
		case errors.Is(err, errReplaced) && try < p.tries:
		case !errors.Is(err, errLocked):
			file.Close()
			return fail(err)
		// A holder that is there at the second look too, and not known to have died, holds it.
		case try >= p.tries || try > 1 && who != nil && who.running():
			file.Close()
			return nil, newHeldError(path, who, time.Now())
		}
		file.Close()
		time.Sleep(p.pause)
	}
}

var (
	errLocked   = errors.New("locked")
	errReplaced = errors.New("the file was replaced meanwhile")
)

// open opens the file, which is made where it is missing.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

// take locks the file and writes into it who holds it now. Where it is
// locked already the error is errLocked, and who is what the file says, nil
// where it says nothing that can be read.
func take(file *os.File, command string) (who *Process, err error) {
	switch err := tryLock(file, true); {
	case errors.Is(err, errLocked):
		return read(file), errLocked
	case err != nil:
		return nil, err
	}
	// Somebody may have removed the file after it was opened.
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
	// The lock holds with or without a name, which is for people: a disk that is
	// full is no reason to give it back.
	_, _ = file.WriteAt(append(text, '\n'), 0)
	return nil, nil
}

// Release gives the lock back. The file stays, and is empty. A second call does nothing.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	held.Delete(file)
	// While it is held still: what the next holder writes stays.
	err := file.Truncate(0)
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("unlock %s: %w", l.path, err)
	}
	return nil
}

// Holder says who holds the lock: nil, without an error, where nobody does or
// there is no such file. A holder whose name can't be read has the process
// number 0. Looking takes the lock, shared, for less than a moment.
func Holder(path string) (*Process, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		defer file.Close()
		if err = tryLock(file, false); err == nil {
			return nil, nil
		}
	}
	if !errors.Is(err, errLocked) {
		return nil, fmt.Errorf("look at lock %s: %w", path, err)
	}
	who := read(file)
	if who == nil {
		who = new(Process)
	}
	return who, nil
}

// maxText bounds what is read of the file; a holder writes less.
const maxText = 16 << 10

// read is what the file says, nil where that is nobody's name.
func read(file *os.File) *Process {
	text := make([]byte, maxText)
	n, err := file.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return nil
	}
	var p Process
	if json.Unmarshal(text[:n], &p) != nil || p.PID <= 0 {
		return nil
	}
	return &p
}
