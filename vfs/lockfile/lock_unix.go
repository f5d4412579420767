//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package lockfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock locks a file, for this opening of it alone or shared with others,
// until it is closed. Programs that this process starts don't inherit the lock:
// Go opens files so that they are closed there.
func tryLock(file *os.File, alone bool) error {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("this file system has no locks: %w: %w", errors.ErrUnsupported, err)
		default:
			return fmt.Errorf("flock: %w", err)
		}
	}
}

// alive says whether a process of this machine runs.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
