//go:build gpu && linux

package driver

import (
	"runtime"
	"time"
	"unsafe"
)

// Flags of streams and events (cuda.h).
const (
	streamNonBlocking  = 1 // concurrent with the default stream
	eventBlockingSync  = 1 // waiting threads sleep
	eventDisableTiming = 2
)

func (x *cudaContext) NewStream(urgent bool) (Stream, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var s uintptr
	var err error
	priority := 0
	if urgent {
		priority = x.greatest()
	}
	if priority != 0 {
		err = x.check("cuStreamCreateWithPriority", call(x.cuStreamWithPriority,
			uintptr(unsafe.Pointer(&s)), streamNonBlocking, uintptr(priority)))
	} else {
		err = x.check("cuStreamCreate",
			call(x.cuStreamCreate, uintptr(unsafe.Pointer(&s)), streamNonBlocking))
	}
	if err != nil {
		return 0, err
	}
	x.keep(streamKind, s)
	return Stream(s), nil
}

// greatest returns the highest priority of streams, which is negative, or 0, the lowest and that of
// streams without one, if the driver knows no others.
func (x *cudaContext) greatest() int {
	var least, greatest int32
	if x.cuPriorityRange == 0 || x.cuStreamWithPriority == 0 ||
		call(x.cuPriorityRange, uintptr(unsafe.Pointer(&least)),
			uintptr(unsafe.Pointer(&greatest))) != 0 {
		return 0
	}
	return int(greatest)
}

func (x *cudaContext) CloseStream(s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	x.forget(streamKind, uintptr(s))
	return x.check("cuStreamDestroy", call(x.cuStreamDestroy, uintptr(s)))
}

func (x *cudaContext) NewEvent(timed bool) (Event, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	flags := uintptr(eventBlockingSync)
	if !timed {
		flags |= eventDisableTiming
	}
	var e uintptr
	if err := x.check("cuEventCreate",
		call(x.cuEventCreate, uintptr(unsafe.Pointer(&e)), flags)); err != nil {
		return 0, err
	}
	x.keep(eventKind, e)
	return Event(e), nil
}

func (x *cudaContext) CloseEvent(e Event) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	x.forget(eventKind, uintptr(e))
	return x.check("cuEventDestroy", call(x.cuEventDestroy, uintptr(e)))
}

func (x *cudaContext) Record(e Event, s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return entered{x}.Record(e, s)
}

// entered is a context that is current on the goroutine's thread.
type entered struct{ *cudaContext }

var _ Burst = (*cudaContext)(nil)

// Begin implements Burst: the context is made current once for all calls.
func (x *cudaContext) Begin() (Calls, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return nil, err
	}
	return entered{x}, nil
}

// End implements Burst.
func (x *cudaContext) End() { x.leave() }

func (x entered) Record(e Event, s Stream) error {
	return x.check("cuEventRecord", call4(x.cuEventRecord, uintptr(e), uintptr(s), 0, 0))
}

func (x *cudaContext) WaitEvent(s Stream, e Event) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuStreamWaitEvent", call4(x.cuStreamWaitEvent, uintptr(s), uintptr(e), 0, 0))
}

func (x *cudaContext) SynchronizeEvent(e Event) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuEventSynchronize", call4(x.cuEventSynchronize, uintptr(e), 0, 0, 0))
}

func (x *cudaContext) Done(e Event) (bool, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return false, err
	}
	defer x.leave()
	r := call4(x.cuEventQuery, uintptr(e), 0, 0, 0)
	if r == resultNotReady {
		return false, nil
	}
	return r == 0, x.check("cuEventQuery", r)
}

func (x *cudaContext) Elapsed(from, to Event) (time.Duration, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var milliseconds float32
	r := call(x.cuEventElapsedTime, uintptr(unsafe.Pointer(&milliseconds)), uintptr(from),
		uintptr(to))
	return time.Duration(float64(milliseconds) * float64(time.Millisecond)),
		x.check("cuEventElapsedTime", r)
}

func (x *cudaContext) Launch(f Function, g Grid, s Stream, args *Args) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return entered{x}.Launch(f, g, s, args)
}

func (x entered) Launch(f Function, g Grid, s Stream, args *Args) error {
	var parameters uintptr
	if args != nil {
		parameters = uintptr(args.Pointers()) // on the heap, see NewArgs
	}
	r := callLaunch(x.cuLaunchKernel, uintptr(f), &g, uintptr(s), parameters)
	runtime.KeepAlive(args)
	return x.check("cuLaunchKernel", r)
}
