//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package vfs

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

func tryLock(*os.File, bool) error {
	return fmt.Errorf("tengen knows no locks on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func alive(int) bool { return true }
