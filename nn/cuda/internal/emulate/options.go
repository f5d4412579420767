package emulate

import (
	"embed"
	"errors"
	"testing"

	"tengen/nn/cuda/driver"
)

// ErrNoCompiler reports that emulation is unavailable.
var ErrNoCompiler = errors.New("emulate: gcc was not found, or the machine isn't Linux on amd64 or arm64; the kernels can't be emulated")

// version is the CUDA version that the emulation reports.
const version = 12080

// Options of Open.
type Options struct {
	// Devices are the emulated devices, whose limits are enforced; empty means one Hopper.
	Devices []driver.Device
	// Seed of the order in which threads and blocks run; 0 runs them in sequence.
	Seed uint64
	// Reorder delays copies and launches until the host waits for them, and interleaves streams
	// at random (by Seed).
	Reorder bool
}

// Hopper describes an H200 with a gigabyte of memory.
func Hopper() driver.Device {
	return driver.Device{
		Name: "emulated Hopper", Major: 9, Minor: 0, SMs: 132, Memory: 1 << 30,
		SharedBlock: 227 << 10, SharedSM: 228 << 10, Registers: 65536, ThreadsSM: 2048,
		L2: 50 << 20, ClockKHz: 1980000, Emulated: true,
	}
}

// Ampere describes an A10 (8.6), with less shared memory and without wgmma.
func Ampere() driver.Device {
	return driver.Device{
		Name: "emulated Ampere", Major: 8, Minor: 6, SMs: 72, Memory: 1 << 30,
		SharedBlock: 99 << 10, SharedSM: 100 << 10, Registers: 65536, ThreadsSM: 1536,
		L2: 6 << 20, ClockKHz: 1695000, Emulated: true,
	}
}

// Turing describes a T4 (7.5), without bf16, tf32 and asynchronous copies.
func Turing() driver.Device {
	return driver.Device{
		Name: "emulated Turing", Major: 7, Minor: 5, SMs: 40, Memory: 1 << 30,
		SharedBlock: 64 << 10, SharedSM: 64 << 10, Registers: 65536, ThreadsSM: 1024,
		L2: 4 << 20, ClockKHz: 1590000, Emulated: true,
	}
}

// ForTest is Open for tests: it skips the test without a C compiler.
func ForTest(t testing.TB, o Options) driver.API {
	t.Helper()
	api, err := Open(o)
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// host is the C side: the header for kernels, and the runtime.
//
//go:embed host
var host embed.FS
