package driver

// Reading is the state of a device. Unknown values are NaN.
type Reading struct {
	// fraction of the last sampling period (up to a second) with a kernel running, 0–1
	Use         float64
	MemoryUse   float64 // fraction of it in which device memory was read or written, 0–1
	MemoryUsed  float64 // bytes used by all processes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // degrees Celsius
	Clock       float64 // current clock of the SMs, Hz
}

// Monitor reads devices. It may be used by several goroutines.
type Monitor interface {
	// Read returns the state of the device with this UUID (Device).
	Read(uuid string) (Reading, error)
	// Close closes the library.
	Close() error
}
