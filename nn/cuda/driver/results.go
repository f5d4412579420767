//go:build gpu && linux

package driver

// Results of the driver that have errors of their own (cuda.h, CUresult).
const (
	resultOutOfMemory = 2
	resultUnavailable = 46 // in exclusive mode, and used by another process
	resultNoDevice    = 100
	resultNotReady    = 600
	resultPeerEnabled = 704
)

// lost lists the results after which a context can't be used again: "this leaves the process in
// an inconsistent state and any further CUDA work will return the same error".
var lost = map[int]bool{
	4:   true, // deinitialized
	214: true, // uncorrectable ECC error
	220: true, // uncorrectable NVLink error
	226: true, // contained error
	700: true, // illegal address
	702: true, // launch timeout
	709: true, // context is destroyed
	710: true, // assert
	714: true, // hardware stack error
	715: true, // illegal instruction
	716: true, // misaligned address
	717: true, // invalid address space
	718: true, // invalid program counter
	719: true, // launch failed
	999: true, // unknown
}

// failure returns the error of a failed call on a device.
func failure(device, call string, code int, reason string) error {
	switch {
	case code == resultUnavailable:
		return &CallError{Call: call, Code: code, Reason: device + " is in exclusive mode and used by another process, or its compute mode prohibits contexts (nvidia-smi --query-gpu=compute_mode)"}
	case lost[code]:
		return &LostError{Device: device, Call: call, Code: code, Reason: reason}
	}
	return &CallError{Call: call, Code: code, Reason: reason}
}
