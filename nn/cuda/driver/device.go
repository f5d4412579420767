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

// architecture returns NVRTC's target: a device's own code or, if the compiler does not know the
// device, PTX of an earlier generation, which the driver compiles. supported are the compiler's
// architectures, version is its CUDA version.
func architecture(
	capability int, supported []int, version int,
) (option string, ptx bool, err error) {
	best := 0
	for _, a := range supported {
		// 10.1 is a family of its own, whose later name is 11.0.
		if a <= capability && (a != 101 || capability == 101) {
			best = max(best, a)
		}
	}
	switch {
	case best == 0:
		return "", false,
			fmt.Errorf("NVRTC %s can't compile for compute capability %d.%d",
				versionText(version), capability/10, capability%10)
	case best < capability:
		return fmt.Sprintf("compute_%d", best), true, nil
	case best == 90 && version >= 12000:
		return "sm_90a", false, nil // with wgmma, which CUDA 11 lacks
	}
	return fmt.Sprintf("sm_%d", best), false, nil
}

// options returns NVRTC's options for a source.
func (s *Source) options(architecture string) []string {
	o := []string{"--gpu-architecture=" + architecture, "--std=c++17"}
	if !s.Precise {
		o = append(o, "--use_fast_math")
	}
	if s.MaxRegisters > 0 {
		o = append(o, fmt.Sprintf("--maxrregcount=%d", s.MaxRegisters))
	}
	for _, d := range s.Defines {
		o = append(o, "--define-macro="+d)
	}
	return o
}

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
