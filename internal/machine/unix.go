//go:build linux || darwin

package machine

import (
	"runtime"
	"syscall"
	"time"
)

// CPUTime returns the time that the process has had of all cores, in the system and outside; 0
// where it is not known. Other programs have little influence on it, unlike on the clock.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// PeakMemory returns the most memory, in bytes, that the process has held so far; 0 where it is not
// known.
func PeakMemory() uint64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}

// DiskSpace returns what is free for an unprivileged user on the disk of a folder, and the disk's
// size, in bytes.
func DiskSpace(folder string) (free, size float64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, err
	}
	return float64(s.Bavail) * float64(s.Bsize), float64(s.Blocks) * float64(s.Bsize), nil
}
