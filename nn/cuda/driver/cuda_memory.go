//go:build gpu && linux

package driver

import (
	"runtime"
	"unsafe"
)

func (x *cudaContext) Memory() (free, total int64, err error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, 0, err
	}
	defer x.leave()
	return x.memory()
}

// memory is Memory for a context that is current.
func (x *cudaContext) memory() (int64, int64, error) {
	var free, total uint64
	r := call(x.cuMemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&total)))
	return int64(free), int64(total), x.check("cuMemGetInfo", r)
}

func (x *cudaContext) Alloc(bytes int) (Ptr, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	if bytes < 1 {
		return 0, &CallError{Call: "cuMemAlloc", Code: 1, Reason: "the size is below 1"}
	}
	var p uint64
	r := call(x.cuMemAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes))
	if r == resultOutOfMemory {
		free, _, err := x.memory()
		if err != nil {
			free = -1
		}
		return 0, &MemoryError{Wanted: int64(bytes), Free: free}
	}
	if err := x.check("cuMemAlloc", r); err != nil {
		return 0, err
	}
	x.keep(memoryKind, uintptr(p))
	return Ptr(p), nil
}

func (x *cudaContext) Free(p Ptr) error {
	if p == 0 {
		return nil
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	x.forget(memoryKind, uintptr(p))
	return x.check("cuMemFree", call(x.cuMemFree, uintptr(p)))
}

// hostPortable (CU_MEMHOSTALLOC_PORTABLE) pins memory for all contexts.
const hostPortable = 1

func (x *cudaContext) AllocHost(bytes int) ([]byte, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return nil, err
	}
	defer x.leave()
	if bytes < 1 {
		return nil, &CallError{Call: "cuMemHostAlloc", Code: 1, Reason: "the size is below 1"}
	}
	var p uintptr
	r := call(x.cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), hostPortable)
	if r == resultOutOfMemory {
		return nil, &MemoryError{Wanted: int64(bytes), Free: -1, Host: true}
	}
	if err := x.check("cuMemHostAlloc", r); err != nil {
		return nil, err
	}
	x.mu.Lock()
	x.pinned[p] = bytes
	x.mu.Unlock()
	return unsafe.Slice((*byte)(pointer(p)), bytes), nil
}

func (x *cudaContext) FreeHost(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	p := uintptr(unsafe.Pointer(&b[0]))
	x.mu.Lock()
	_, ok := x.pinned[p]
	delete(x.pinned, p)
	x.mu.Unlock()
	if !ok {
		return &CallError{
			Call: "cuMemFreeHost", Code: 1, Reason: "the memory is not from AllocHost",
		}
	}
	return x.check("cuMemFreeHost", call(x.cuMemFreeHost, p))
}

func (x *cudaContext) CopyIn(dst Ptr, src []byte, s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return entered{x}.CopyIn(dst, src, s)
}

func (x entered) CopyIn(dst Ptr, src []byte, s Stream) error {
	if len(src) == 0 {
		return nil
	}
	r := call4(x.cuMemcpyHtoDAsync, uintptr(dst), uintptr(unsafe.Pointer(&src[0])),
		uintptr(len(src)), uintptr(s))
	runtime.KeepAlive(src) // the driver has copied memory that isn't pinned
	return x.check("cuMemcpyHtoDAsync", r)
}

func (x *cudaContext) CopyOut(dst []byte, src Ptr, s Stream) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return entered{x}.CopyOut(dst, src, s)
}

func (x entered) CopyOut(dst []byte, src Ptr, s Stream) error {
	if len(dst) == 0 {
		return nil
	}
	r := call4(x.cuMemcpyDtoHAsync, uintptr(unsafe.Pointer(&dst[0])), uintptr(src),
		uintptr(len(dst)), uintptr(s))
	runtime.KeepAlive(dst)
	return x.check("cuMemcpyDtoHAsync", r)
}

func (x *cudaContext) Copy(dst, src Ptr, bytes int, s Stream) error {
	if bytes == 0 {
		return nil
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuMemcpyDtoDAsync",
		call4(x.cuMemcpyDtoDAsync, uintptr(dst), uintptr(src), uintptr(bytes), uintptr(s)))
}

var _ Neighbour = (*cudaContext)(nil)

// Handle implements Neighbour.
func (x *cudaContext) Handle() uintptr { return x.context }

// Reach implements Neighbour. All contexts share one range of addresses.
func (x *cudaContext) Reach(other uintptr) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	r := call4(x.cuPeerAccess, other, 0, 0, 0)
	if r == resultPeerEnabled {
		return nil
	}
	return x.check("cuCtxEnablePeerAccess", r)
}

func (x *cudaContext) Fill(dst Ptr, value byte, bytes int, s Stream) error {
	if bytes == 0 {
		return nil
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuMemsetD8Async",
		call4(x.cuMemsetD8Async, uintptr(dst), uintptr(value), uintptr(bytes), uintptr(s)))
}
