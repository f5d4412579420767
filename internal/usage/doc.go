// Package usage tells what a process uses of the machine:
//
//	u, err := usage.Of(os.Getpid())
//	share := (u.CPU - earlier.CPU).Seconds() / seconds // of one core
//
// Of any process it tells on Linux; elsewhere of this process alone, as far as it is known.
package usage

import "time"

// Usage is what a process has used, or uses at the moment. What is unknown is 0.
type Usage struct {
	CPU      time.Duration // processor time so far, of all cores
	Resident uint64        // bytes of memory
}

// Machine is what the machine has. What is unknown is 0.
type Machine struct {
	Cores     int
	Memory    uint64  // bytes
	Available uint64  // bytes that programs can still have
	Load      float64 // processes that ran or waited to run, the mean over a minute
}
