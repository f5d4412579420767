//go:build gpu && linux

package driver

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

// Names of the driver's library.
var cudaLibraries = []string{"libcuda.so.1", "libcuda.so"}

// cuda implements API.
type cuda struct {
	libcuda
	version int
	count   int
}

// opened opens and initialises the library once per process.
var opened = sync.OnceValues(openCUDA)

// Open opens the NVIDIA driver. It returns a *LibraryError if there is none, and a *VersionError
// if it is older than CUDA 11.8.
func Open() (API, error) {
	c, err := opened()
	if err != nil {
		return nil, err
	}
	return c, nil
}

func openCUDA() (*cuda, error) {
	c := &cuda{}
	err := openLibrary(cudaLibraries[0], cudaLibraries, c.functions(), c.optional(),
		"install the NVIDIA driver; a container needs --gpus all or the like", nil)
	if err != nil {
		return nil, err
	}
	connect()
	var version, count int32
	switch r := call(c.cuInit, 0); r {
	case 0:
	case resultNoDevice:
		return c, nil
	default:
		return nil, c.failure("the driver", "cuInit", r)
	}
	if r := call(c.cuDriverGetVersion, uintptr(unsafe.Pointer(&version))); r != 0 {
		return nil, c.failure("the driver", "cuDriverGetVersion", r)
	}
	c.version = int(version)
	if c.version < minimum {
		return nil, &VersionError{What: "the NVIDIA driver", Have: c.version, Want: minimum}
	}
	switch r := call(c.cuDeviceGetCount, uintptr(unsafe.Pointer(&count))); r {
	case 0:
		c.count = int(count)
	case resultNoDevice:
	default:
		return nil, c.failure("the driver", "cuDeviceGetCount", r)
	}
	return c, nil
}

// connections is the variable for the number of hardware queues of a device: more streams than
// queues share them, so that one may wait for another. The driver reads it when a context is made;
// 32 is the most, 8 the default.
const connections = "CUDA_DEVICE_MAX_CONNECTIONS"

// connect asks for the most queues, since each worker has two streams, unless the user has set
// their number.
func connect() {
	if os.Getenv(connections) == "" {
		// only speed depends on it; purego passes it on to C's environment
		_ = os.Setenv(connections, "32")
	}
}

// failure returns the error for a call's result.
func (c *cuda) failure(device, name string, code int) error {
	var p uintptr
	reason := "unknown error"
	if call(c.cuGetErrorString, uintptr(code), uintptr(unsafe.Pointer(&p))) == 0 && p != 0 {
		reason = text(p)
	}
	return failure(device, name, code, reason)
}

func (c *cuda) Version() int { return c.version }

func (c *cuda) Devices() ([]Device, error) {
	all := make([]Device, c.count)
	for i := range all {
		d, _, err := c.describe(i)
		if err != nil {
			return nil, err
		}
		all[i] = d
	}
	return all, nil
}

// Numbers of device attributes (cuda.h, CUdevice_attribute).
const (
	attributeClock       = 13
	attributeSMs         = 16
	attributeBus         = 33
	attributeSlot        = 34
	attributeL2          = 38
	attributeDomain      = 50
	attributeThreadsSM   = 39
	attributeMajor       = 75
	attributeMinor       = 76
	attributeSharedSM    = 81
	attributeRegisters   = 82
	attributeSharedOptIn = 97
)

// describe returns a device's properties and its handle.
func (c *cuda) describe(ordinal int) (Device, uintptr, error) {
	d := Device{Ordinal: ordinal}
	name := fmt.Sprintf("device %d", ordinal)
	var handle int32
	if r := call(c.cuDeviceGet, uintptr(unsafe.Pointer(&handle)), uintptr(ordinal)); r != 0 {
		return d, 0, c.failure(name, "cuDeviceGet", r)
	}
	h := uintptr(handle)
	var title [256]byte
	if r := call(c.cuDeviceGetName, uintptr(unsafe.Pointer(&title[0])), uintptr(len(title)),
		h); r != 0 {
		return d, 0, c.failure(name, "cuDeviceGetName", r)
	}
	before, _, _ := bytes.Cut(title[:], []byte{0})
	d.Name = string(before)
	var id [16]byte
	if r := call(c.cuDeviceGetUuid, uintptr(unsafe.Pointer(&id[0])), h); r == 0 {
		d.UUID = fmt.Sprintf("GPU-%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])
	}
	var memory uint64
	if r := call(c.cuDeviceTotalMem, uintptr(unsafe.Pointer(&memory)), h); r != 0 {
		return d, 0, c.failure(name, "cuDeviceTotalMem", r)
	}
	d.Memory = int64(memory)
	var domain, bus, slot int
	for _, a := range []struct {
		number int
		to     *int
	}{
		{attributeMajor, &d.Major}, {attributeMinor, &d.Minor}, {attributeSMs, &d.SMs},
		{attributeSharedOptIn, &d.SharedBlock}, {attributeSharedSM, &d.SharedSM},
		{attributeRegisters, &d.Registers}, {attributeThreadsSM, &d.ThreadsSM},
		{attributeL2, &d.L2}, {attributeClock, &d.ClockKHz},
		{attributeDomain, &domain}, {attributeBus, &bus}, {attributeSlot, &slot},
	} {
		var v int32
		if r := call(c.cuDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a.number),
			h); r != 0 {
			return d, 0, c.failure(name, "cuDeviceGetAttribute", r)
		}
		*a.to = int(v)
	}
	d.PCI = fmt.Sprintf("%04x:%02x:%02x.0", domain, bus, slot)
	return d, h, nil
}

// schedBlocking (CU_CTX_SCHED_BLOCKING_SYNC) lets threads that wait for the device sleep, since
// the search needs the cores.
const schedBlocking = 4

func (c *cuda) Open(ordinal int) (Context, error) {
	if ordinal < 0 || ordinal >= c.count {
		return nil, &CallError{
			Call: "cuDeviceGet", Code: 101,
			Reason: fmt.Sprintf("there is no device %d; the machine has %d", ordinal, c.count),
		}
	}
	d, handle, err := c.describe(ordinal)
	if err != nil {
		return nil, err
	}
	call(c.cuPrimarySetFlags, handle, schedBlocking) // on failure, waiting threads spin
	x := &cudaContext{
		cuda: c, device: d, handle: handle, made: map[resource]struct{}{},
		pinned: map[uintptr]int{},
	}
	if r := call(c.cuPrimaryRetain, uintptr(unsafe.Pointer(&x.context)), handle); r != 0 {
		return nil, c.failure(d.Name, "cuDevicePrimaryCtxRetain", r)
	}
	return x, nil
}

// OpenSeparate creates a context beside the device's primary one.
func (c *cuda) OpenSeparate(ordinal int) (Context, error) {
	if ordinal < 0 || ordinal >= c.count {
		return nil, &CallError{
			Call: "cuDeviceGet", Code: 101,
			Reason: fmt.Sprintf("there is no device %d; the machine has %d", ordinal, c.count),
		}
	}
	d, handle, err := c.describe(ordinal)
	if err != nil {
		return nil, err
	}
	x := &cudaContext{
		cuda: c, device: d, handle: handle, separate: true, made: map[resource]struct{}{},
		pinned: map[uintptr]int{},
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if r := call(c.cuCtxCreate, uintptr(unsafe.Pointer(&x.context)), schedBlocking,
		handle); r != 0 {
		return nil, c.failure(d.Name, "cuCtxCreate", r)
	}
	call(c.cuCtxSetCurrent, 0) // as after every other call, no context is wanted on this thread
	return x, nil
}

// kind is the kind of object that a handle refers to.
type kind int

const (
	memoryKind kind = iota
	streamKind
	eventKind
	moduleKind
	graphKind
)

// resource is an object that Close frees.
type resource struct {
	kind   kind
	handle uintptr
}

// cudaContext implements Context with the device's primary context or one of its own.
type cudaContext struct {
	*cuda
	device  Device
	handle  uintptr // CUdevice
	context uintptr // CUcontext

	separate bool // of OpenSeparate: not the primary context

	mu     sync.Mutex
	closed bool
	made   map[resource]struct{}
	pinned map[uintptr]int // bytes of pinned host memory, by address
}

func (x *cudaContext) Device() Device { return x.device }

// enter locks the goroutine to its thread and makes the context current there; leave unlocks it.
func (x *cudaContext) enter(name string) error {
	runtime.LockOSThread()
	if r := call4(x.cuCtxSetCurrent, x.context, 0, 0, 0); r != 0 {
		runtime.UnlockOSThread()
		return x.failure(x.device.Name, name, r)
	}
	return nil
}

func (x *cudaContext) leave() { runtime.UnlockOSThread() }

// check converts a call's result to an error.
func (x *cudaContext) check(name string, r int) error {
	if r == 0 {
		return nil
	}
	return x.failure(x.device.Name, name, r)
}

func (x *cudaContext) keep(k kind, h uintptr) {
	x.mu.Lock()
	x.made[resource{k, h}] = struct{}{}
	x.mu.Unlock()
}

func (x *cudaContext) forget(k kind, h uintptr) {
	x.mu.Lock()
	delete(x.made, resource{k, h})
	x.mu.Unlock()
}

func (x *cudaContext) Synchronize(s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	if s == 0 {
		return x.check("cuCtxSynchronize", call(x.cuCtxSynchronize))
	}
	return x.check("cuStreamSynchronize", call4(x.cuStreamSynchronize, uintptr(s), 0, 0, 0))
}

func (x *cudaContext) Close() error {
	x.mu.Lock()
	if x.closed {
		x.mu.Unlock()
		return nil
	}
	x.closed = true
	x.mu.Unlock()
	err := x.enter("cuCtxSetCurrent")
	if err == nil {
		err = x.check("cuCtxSynchronize", call(x.cuCtxSynchronize))
		// In a lost context nothing can be freed; these calls then fail without harm.
		for r := range x.made {
			switch r.kind {
			case memoryKind:
				call(x.cuMemFree, r.handle)
			case streamKind:
				call(x.cuStreamDestroy, r.handle)
			case eventKind:
				call(x.cuEventDestroy, r.handle)
			case moduleKind:
				call(x.cuModuleUnload, r.handle)
			case graphKind:
				call(x.cuGraphExecDestroy, r.handle)
			}
		}
		for p := range x.pinned {
			call(x.cuMemFreeHost, p)
		}
		call(x.cuCtxSetCurrent, 0)
		x.leave()
	}
	var e error
	if x.separate {
		e = x.check("cuCtxDestroy", call(x.cuCtxDestroy, x.context))
	} else {
		e = x.check("cuDevicePrimaryCtxRelease", call(x.cuPrimaryRelease, x.handle))
	}
	if err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("close %s: %w", x.device.Name, err)
	}
	return nil
}
