package nvml

// Reading is the state of a device. What it doesn't tell is NaN.
type Reading struct {
	Use         float64 // share of the last sampling period (up to a second) with a kernel running, 0–1
	MemoryUse   float64 // share of it in which device memory was read or written, 0–1
	MemoryUsed  float64 // bytes, of all processes
	MemoryTotal float64 // bytes
	Power       float64 // watts
	Temperature float64 // degrees Celsius
	Clock       float64 // of the SMs now, Hz
}

// Reader reads devices. It may be used by several goroutines.
type Reader interface {
	// Read gives the state of the device with this UUID, as driver.Device has it.
	Read(uuid string) (Reading, error)
	// Close closes the library.
	Close() error
}
