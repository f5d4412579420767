//go:build unix

package bench

import (
	"runtime"
	"syscall"
)

// peakMemory is the most memory, in bytes, that this process has held so far;
// 0 where it is not known.
func peakMemory() uint64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(u.Maxrss)
	}
	return uint64(u.Maxrss) << 10
}
