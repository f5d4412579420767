//go:build unix

package machine

import (
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
