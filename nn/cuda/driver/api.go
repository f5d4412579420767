package driver

import "time"

// API is a CUDA driver.
type API interface {
	// Version returns the CUDA version that the driver supports, 1000 × major + 10 × minor: 12040
	// is 12.4.
	Version() int
	// Devices lists the devices in the driver's order. Without devices it returns an empty list
	// and no error.
	Devices() ([]Device, error)
	// Open opens a context on a device. Each call returns a context to be closed separately.
	Open(ordinal int) (Context, error)
	// OpenSeparate opens a context that shares nothing with those of Open: what a kernel does to
	// it does not reach them. It takes more time and memory than Open.
	OpenSeparate(ordinal int) (Context, error)
}

// Ptr is an address in a device's memory; 0 is the null address. Add bytes to address the inside
// of an allocation.
type Ptr uint64

// Handles of a context's objects. 0 is none; Stream 0 is the default stream.
type (
	Stream   uintptr
	Event    uintptr
	Module   uintptr
	Function uintptr
	Graph    uintptr
)

// Grid is the shape of a launch.
type Grid struct {
	Blocks  [3]int // blocks in x, y, z, each at least 1
	Threads [3]int // threads per block in x, y, z, each at least 1; at most 1024 in total
	Shared  int    // dynamic shared memory per block, bytes
}

// FunctionInfo holds a compiled kernel's resources.
type FunctionInfo struct {
	Registers  int // per thread; 0 if unknown
	Shared     int // static shared memory per block, bytes
	Local      int // local memory per thread, bytes
	MaxThreads int // per block, given its registers
}

// Context is an opened device. It owns what it creates; Close frees what is left.
type Context interface {
	// Device describes the device.
	Device() Device
	// Memory returns the device's free and total memory in bytes.
	Memory() (free, total int64, err error)
	// Synchronize waits for a stream, or for all streams if it is 0.
	Synchronize(Stream) error
	// Close waits for running work and frees everything. A second call does nothing.
	Close() error

	Allocator
	Queue
	Loader
}

// Allocator allocates and frees memory.
type Allocator interface {
	// Alloc allocates device memory of at least 1 byte, aligned to 256 bytes. Its content is
	// undefined.
	Alloc(bytes int) (Ptr, error)
	// Free waits until the memory is unused, and frees it. Free(0) does nothing.
	Free(Ptr) error
	// AllocHost allocates pinned host memory, which copies can access concurrently with the host,
	// and kernels at HostPtr. It is outside Go's heap and must not be used after FreeHost or Close.
	AllocHost(bytes int) ([]byte, error)
	// FreeHost frees memory of AllocHost. FreeHost(nil) does nothing.
	FreeHost([]byte) error
}

// Queue enqueues work in streams. Copies and launches return before they are done; the host
// memory of a copy must not be used until its stream was synchronized. Copies from or to host
// memory not allocated by AllocHost may block.
type Queue interface {
	// NewStream creates a stream that runs concurrently with all others, the default stream
	// included. Blocks of an urgent stream start before those of others that wait too, if the
	// driver knows priorities.
	NewStream(urgent bool) (Stream, error)
	CloseStream(Stream) error
	// NewEvent creates an event. Elapsed needs timed events.
	NewEvent(timed bool) (Event, error)
	CloseEvent(Event) error
	// Record sets the event to the current end of the stream's work.
	Record(Event, Stream) error
	// WaitEvent makes later work in the stream wait for the event's last Record. The event may be
	// one of another context of the driver.
	WaitEvent(Stream, Event) error
	// SynchronizeEvent blocks until the event's last Record is reached.
	SynchronizeEvent(Event) error
	// Done reports, without waiting, whether the event's last Record was reached.
	Done(Event) (bool, error)
	// Elapsed returns the device time between two timed events that were both reached.
	Elapsed(from, to Event) (time.Duration, error)

	// CopyIn copies len(src) bytes to the device.
	CopyIn(dst Ptr, src []byte, s Stream) error
	// CopyOut copies len(dst) bytes from the device.
	CopyOut(dst []byte, src Ptr, s Stream) error
	// Copy copies within the device, or from the memory of a context that this one reaches (see
	// Neighbour); the ranges must not overlap.
	Copy(dst, src Ptr, bytes int, s Stream) error
	// Fill sets each byte of a range to a value.
	Fill(dst Ptr, value byte, bytes int, s Stream) error

	// Launch enqueues a kernel. It copies the arguments before it returns, and does not allocate.
	Launch(f Function, g Grid, s Stream, args *Args) error
}

// Burst is a Context that makes a row of calls cheaper.
type Burst interface {
	// Begin prepares the goroutine for a row of calls of the methods of Calls, all on what it
	// returns; it makes no others before End. After an error there is no End.
	Begin() (Calls, error)
	End()
}

// Calls are the calls for a batch: see Queue.
type Calls interface {
	CopyIn(dst Ptr, src []byte, s Stream) error
	CopyOut(dst []byte, src Ptr, s Stream) error
	Launch(f Function, g Grid, s Stream, args *Args) error
	Record(Event, Stream) error
}

// Begin begins a row of calls on any context; End ends it.
func Begin(c Context) (Calls, error) {
	if b, ok := c.(Burst); ok {
		return b.Begin()
	}
	return c, nil
}

// End ends a row of calls that Begin began without an error.
func End(c Context) {
	if b, ok := c.(Burst); ok {
		b.End()
	}
}

// Grapher is a Context that enqueues a row of calls, captured once, by a single call.
type Grapher interface {
	// Capture calls enqueue, whose copies, fills and launches in the stream are captured in place
	// of being enqueued: with the arguments that they have then, and the addresses of host memory.
	// enqueue makes no other calls for the stream. After an error, of enqueue or because the driver
	// has no graphs (a *LibraryError), there is no graph, and nothing was enqueued.
	Capture(s Stream, enqueue func() error) (Graph, error)
	// LaunchGraph enqueues what was captured.
	LaunchGraph(Graph, Stream) error
	CloseGraph(Graph) error
}

// Neighbour is a Context that can read the memory of other contexts of its driver.
type Neighbour interface {
	// Handle identifies the context among those of its driver.
	Handle() uintptr
	// Reach lets copies read the memory of another context, given its handle. It returns an error
	// if the two devices have no access to each other, or the context is the same.
	Reach(other uintptr) error
}

// Loader compiles and loads kernels.
type Loader interface {
	// Compile compiles a source for the context's device. The image is for Load of the same
	// driver. The remarks are what the compiler says of a source that it compiles: warnings, and
	// that it serializes products of wgmma; "" if it says nothing.
	Compile(Source) (image []byte, remarks string, err error)
	// Compiler returns the name and version of the compiler: "NVRTC 12.6". It returns an error if
	// there is none.
	Compiler() (string, error)
	// Load loads an image. It does not retain the image.
	Load(image []byte) (Module, error)
	Unload(Module) error
	// Function looks up a kernel in a module.
	Function(Module, string) (Function, error)
	// FunctionInfo returns a kernel's resources.
	FunctionInfo(Function) (FunctionInfo, error)
	// AllowShared permits launches with up to this much dynamic shared memory. The limit is 48 KB
	// without it, and Device.SharedBlock less the kernel's static shared memory with it.
	AllowShared(f Function, bytes int) error
	// Occupancy returns the number of blocks that an SM runs concurrently, given their threads
	// and dynamic shared memory.
	Occupancy(f Function, threads, shared int) (int, error)
}
