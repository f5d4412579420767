package machine

import "time"

// Usage is what a process has used, or uses at the moment. What is unknown is 0.
type Usage struct {
	CPU      time.Duration // processor time so far, of all cores
	Resident uint64        // bytes of memory
}

// Resources are what the machine has. What is unknown is 0.
type Resources struct {
	Cores     int
	Memory    uint64  // bytes
	Available uint64  // bytes that programs can still have
	Load      float64 // processes that ran or waited to run, the mean over a minute
}
