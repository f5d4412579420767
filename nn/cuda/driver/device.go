package driver

import "fmt"

// Device describes a device.
type Device struct {
	Ordinal      int
	Name         string
	UUID         string // as in NVML and nvidia-smi, "GPU-…"; "" if unknown
	PCI          string // "0000:3b:00.0"; "" if unknown
	Major, Minor int    // compute capability: 9, 0 for Hopper
	SMs          int    // streaming multiprocessors
	Memory       int64  // bytes
	SharedBlock  int    // maximum shared memory per block after AllowShared, bytes
	SharedSM     int    // shared memory of an SM, bytes
	Registers    int    // 32-bit registers of an SM
	ThreadsSM    int    // maximum threads per SM
	L2           int    // second-level cache, bytes
	ClockKHz     int    // maximum clock of an SM
	Emulated     bool   // emulated on the host
}

// Capability returns the compute capability as one number: 90 for 9.0, 103 for 10.3.
func (d *Device) Capability() int { return 10*d.Major + d.Minor }

// String returns "NVIDIA H200 (9.0, 132 SMs, 139.8 GiB)".
func (d *Device) String() string {
	return fmt.Sprintf("%s (%d.%d, %d SMs, %.1f GiB)",
		d.Name, d.Major, d.Minor, d.SMs, float64(d.Memory)/(1<<30))
}
