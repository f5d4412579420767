package vfs

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks one byte far behind the file's end, until the file is closed: on
// Windows others can't read what is locked, and the file's text must stay readable.
func tryLock(file *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{
		OffsetHigh: 1 << 30,
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errWouldBlock
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED),
		errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return fmt.Errorf("this file system has no locks: %w: %w", errors.ErrUnsupported, err)
	}
	return fmt.Errorf("LockFileEx: %w", err)
}

// alive returns true: whether a process has died is not known here.
func alive(int) bool { return true }
