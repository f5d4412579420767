package driver

import "time"

// API is a CUDA driver.
type API interface {
	// Version is the CUDA version that the driver supports, 1000 × major + 10 ×
	// minor: 12040 is 12.4.
	Version() int
	// Devices lists the devices in the driver's order. A machine without one
	// gives an empty list and no error.
	Devices() ([]Device, error)
	// Open gives a device's context. Each call gives one that is closed by itself.
	Open(ordinal int) (Context, error)
}

// Ptr is an address in a device's memory; 0 is none. Addresses within an
// allocation are reached by adding bytes.
type Ptr uint64

// Handles of what a context has made; 0 is none, and as a stream the default one.
type (
	Stream   uintptr
	Event    uintptr
	Module   uintptr
	Function uintptr
)

// Grid is the shape of a launch.
type Grid struct {
	Blocks  [3]int // blocks in x, y, z, each at least 1
	Threads [3]int // threads a block in x, y, z, each at least 1; at most 1024 together
	Shared  int    // dynamic shared memory of a block, bytes
}

// FunctionInfo is what the compiler made of a kernel.
type FunctionInfo struct {
	Registers  int // a thread; 0 where unknown
	Shared     int // static shared memory of a block, bytes
	Local      int // spilled memory of a thread, bytes
	MaxThreads int // a block, for the registers it takes
}

// Context is one device, opened. What it makes is its own and is freed by
// Close at the latest.
type Context interface {
	// Device describes the device.
	Device() Device
	// Memory is the device's memory, free and in all, bytes.
	Memory() (free, total int64, err error)
	// Synchronize waits for a stream, for all streams where it is 0.
	Synchronize(Stream) error
	// Close waits for what runs and frees all. A second call does nothing.
	Close() error

	Allocator
	Queue
	Loader
}

// Allocator makes and frees memory.
type Allocator interface {
	// Alloc gives device memory of a size in bytes, at least 1, aligned to 256 bytes. What
	// stands in it is undefined.
	Alloc(bytes int) (Ptr, error)
	// Free waits until nothing uses the memory. Free(0) does nothing.
	Free(Ptr) error
	// AllocHost gives pinned host memory, from and to which copies run beside
	// the host's own work. It is outside Go's heap: it must not be used after
	// FreeHost or Close.
	AllocHost(bytes int) ([]byte, error)
	// FreeHost takes what AllocHost gave. FreeHost(nil) does nothing.
	FreeHost([]byte) error
}

// Queue is work in streams. Copies and launches return before they are done;
// the host memory of a copy must be left alone until its stream was waited for. For host memory
// that AllocHost did not give, a copy may wait itself.
type Queue interface {
	// NewStream gives a stream that runs beside the others, the default one too.
	NewStream() (Stream, error)
	CloseStream(Stream) error
	// NewEvent gives an event; a timed one serves Elapsed.
	NewEvent(timed bool) (Event, error)
	CloseEvent(Event) error
	// Record marks the point that the stream's work has reached so far.
	Record(Event, Stream) error
	// WaitEvent makes what the stream is given from now on wait for the event's last Record.
	WaitEvent(Stream, Event) error
	// SynchronizeEvent waits on the host for the event's last Record.
	SynchronizeEvent(Event) error
	// Done tells without waiting whether the event's last Record was reached.
	Done(Event) (bool, error)
	// Elapsed is the device's time between two timed events that were both reached.
	Elapsed(from, to Event) (time.Duration, error)

	// CopyIn copies len(src) bytes to the device.
	CopyIn(dst Ptr, src []byte, s Stream) error
	// CopyOut copies len(dst) bytes from the device.
	CopyOut(dst []byte, src Ptr, s Stream) error
	// Copy copies within the device; the ranges don't overlap.
	Copy(dst, src Ptr, bytes int, s Stream) error
	// Fill sets each byte of a range to a value.
	Fill(dst Ptr, value byte, bytes int, s Stream) error

	// Launch runs a kernel. The arguments are copied before it returns and can be
	// changed at once. It allocates nothing.
	Launch(f Function, g Grid, s Stream, args *Args) error
}

// Loader compiles and loads kernels.
type Loader interface {
	// Compile compiles a source for the context's device. The image is for this driver's Load.
	Compile(Source) (image []byte, err error)
	// Compiler names what Compile uses, with its version: "NVRTC 12.6". It is
	// an error where no compiler is found.
	Compiler() (string, error)
	// Load makes an image's kernels ready. The image is not kept.
	Load(image []byte) (Module, error)
	Unload(Module) error
	// Function finds a kernel in a module.
	Function(Module, string) (Function, error)
	// FunctionInfo says what a kernel takes.
	FunctionInfo(Function) (FunctionInfo, error)
	// AllowShared permits launches with up to this dynamic shared memory; without
	// it the limit is 48 KB, with it Device.SharedBlock less the kernel's static shared memory.
	AllowShared(f Function, bytes int) error
	// Occupancy is how many blocks of so many threads and so much dynamic
	// shared memory an SM runs at once.
	Occupancy(f Function, threads, shared int) (int, error)
}
