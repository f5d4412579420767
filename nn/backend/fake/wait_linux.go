package fake

import (
	"syscall"
	"time"
)

// wait blocks its thread, as a driver's call does. The runtime's timers may be a millisecond late
// while the program is idle.
func wait(d time.Duration) {
	for left := syscall.NsecToTimespec(d.Nanoseconds()); syscall.Nanosleep(&left,
		&left) == syscall.EINTR; {
	}
}
