//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package vfs

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock locks an open file, exclusively or shared, until it is closed. Child
// processes don't inherit the lock: Go opens files with close-on-exec.
func tryLock(file *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errWouldBlock
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP),
			errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("this file system has no locks: %w: %w", errors.ErrUnsupported, err)
		default:
			return fmt.Errorf("flock: %w", err)
		}
	}
}

// alive reports whether a process of this machine runs.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
