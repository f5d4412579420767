//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the time that the process has had of all cores, in the system and outside; 0 where it is not
// known.
func Used() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
