package machine

import (
	"errors"
	"runtime"

	"golang.org/x/sys/unix"
)

// Bind locks the goroutine to its thread and lets that run on the given cores alone, as far as the
// process may use them. It is for the rest of the goroutine's life: the thread ends with it. It
// returns an error, and binds nothing, if the process may use none of the cores.
func Bind(cores []int) error {
	runtime.LockOSThread()
	var allowed, set unix.CPUSet
	err := unix.SchedGetaffinity(0, &allowed)
	for _, c := range cores {
		if err == nil && allowed.IsSet(c) {
			set.Set(c)
		}
	}
	switch {
	case err == nil && set.Count() == 0:
		err = errors.New("the process may use none of the cores near the device")
	case err == nil:
		err = unix.SchedSetaffinity(0, &set)
	}
	if err != nil {
		runtime.UnlockOSThread()
	}
	return err
}
