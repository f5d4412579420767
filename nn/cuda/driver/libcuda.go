//go:build gpu && linux

package driver

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// libcuda holds the addresses of the driver's functions. Their types in C:
type libcuda struct {
	cuInit               uintptr // (unsigned flags)
	cuDriverGetVersion   uintptr // (int *version)
	cuGetErrorString     uintptr // (CUresult, const char **)
	cuDeviceGetCount     uintptr // (int *)
	cuDeviceGet          uintptr // (CUdevice *, int ordinal)
	cuDeviceGetName      uintptr // (char *, int len, CUdevice)
	cuDeviceGetUuid      uintptr // (CUuuid *, CUdevice): 16 bytes
	cuDeviceTotalMem     uintptr // (size_t *, CUdevice)
	cuDeviceGetAttribute uintptr // (int *, CUdevice_attribute, CUdevice)
	cuPrimarySetFlags    uintptr // (CUdevice, unsigned flags)
	cuPrimaryRetain      uintptr // (CUcontext *, CUdevice)
	cuPrimaryRelease     uintptr // (CUdevice)
	cuCtxCreate          uintptr // (CUcontext *, unsigned flags, CUdevice)
	cuCtxDestroy         uintptr // (CUcontext)
	cuCtxSetCurrent      uintptr // (CUcontext)
	cuCtxSynchronize     uintptr // (void)
	cuPeerAccess         uintptr // (CUcontext peer, unsigned flags)
	cuMemGetInfo         uintptr // (size_t *free, size_t *total)
	cuMemAlloc           uintptr // (CUdeviceptr *, size_t)
	cuMemFree            uintptr // (CUdeviceptr)
	cuMemHostAlloc       uintptr // (void **, size_t, unsigned flags)
	cuMemFreeHost        uintptr // (void *)
	cuStreamCreate       uintptr // (CUstream *, unsigned flags)
	cuStreamDestroy      uintptr // (CUstream)
	cuStreamSynchronize  uintptr // (CUstream)
	cuStreamWaitEvent    uintptr // (CUstream, CUevent, unsigned flags)
	cuEventCreate        uintptr // (CUevent *, unsigned flags)
	cuEventDestroy       uintptr // (CUevent)
	cuEventRecord        uintptr // (CUevent, CUstream)
	cuEventSynchronize   uintptr // (CUevent)
	cuEventQuery         uintptr // (CUevent)
	cuEventElapsedTime   uintptr // (float *milliseconds, CUevent, CUevent)
	cuMemcpyHtoDAsync    uintptr // (CUdeviceptr, const void *, size_t, CUstream)
	cuMemcpyDtoHAsync    uintptr // (void *, CUdeviceptr, size_t, CUstream)
	cuMemcpyDtoDAsync    uintptr // (CUdeviceptr, CUdeviceptr, size_t, CUstream)
	cuMemsetD8Async      uintptr // (CUdeviceptr, unsigned char, size_t, CUstream)
	cuModuleLoadData     uintptr // (CUmodule *, const void *image)
	cuModuleUnload       uintptr // (CUmodule)
	cuModuleGetFunction  uintptr // (CUfunction *, CUmodule, const char *)
	cuFuncGetAttribute   uintptr // (int *, CUfunction_attribute, CUfunction)
	cuFuncSetAttribute   uintptr // (CUfunction, CUfunction_attribute, int)
	cuOccupancyMaxBlocks uintptr // (int *, CUfunction, int threads, size_t shared)
	// (CUfunction, 3 × unsigned grid, 3 × unsigned block, unsigned shared, CUstream, void **params,
	// void **extra)
	cuLaunchKernel uintptr

	// Not in every driver: 0 if missing.
	cuPriorityRange      uintptr // (int *least, int *greatest)
	cuStreamWithPriority uintptr // (CUstream *, unsigned flags, int priority)
	cuStreamBeginCapture uintptr // (CUstream, CUstreamCaptureMode)
	cuStreamEndCapture   uintptr // (CUstream, CUgraph *)
	cuGraphInstantiate   uintptr // (CUgraphExec *, CUgraph, unsigned long long flags)
	cuGraphLaunch        uintptr // (CUgraphExec, CUstream)
	cuGraphDestroy       uintptr // (CUgraph)
	cuGraphExecDestroy   uintptr // (CUgraphExec)
}

// optional maps the names of functions that a driver may lack.
func (l *libcuda) optional() map[string]*uintptr {
	return map[string]*uintptr{
		"cuCtxGetStreamPriorityRange": &l.cuPriorityRange,
		"cuStreamCreateWithPriority":  &l.cuStreamWithPriority,
		"cuStreamBeginCapture_v2":     &l.cuStreamBeginCapture,
		"cuStreamEndCapture":          &l.cuStreamEndCapture,
		"cuGraphInstantiateWithFlags": &l.cuGraphInstantiate,
		"cuGraphLaunch":               &l.cuGraphLaunch,
		"cuGraphDestroy":              &l.cuGraphDestroy,
		"cuGraphExecDestroy":          &l.cuGraphExecDestroy,
	}
}

// functions maps the library's exported names: cuda.h defines many plain names as macros for a
// later version.
func (l *libcuda) functions() map[string]*uintptr {
	return map[string]*uintptr{
		"cuInit":                                      &l.cuInit,
		"cuDriverGetVersion":                          &l.cuDriverGetVersion,
		"cuGetErrorString":                            &l.cuGetErrorString,
		"cuDeviceGetCount":                            &l.cuDeviceGetCount,
		"cuDeviceGet":                                 &l.cuDeviceGet,
		"cuDeviceGetName":                             &l.cuDeviceGetName,
		"cuDeviceGetUuid_v2":                          &l.cuDeviceGetUuid,
		"cuDeviceTotalMem_v2":                         &l.cuDeviceTotalMem,
		"cuDeviceGetAttribute":                        &l.cuDeviceGetAttribute,
		"cuDevicePrimaryCtxSetFlags_v2":               &l.cuPrimarySetFlags,
		"cuDevicePrimaryCtxRetain":                    &l.cuPrimaryRetain,
		"cuDevicePrimaryCtxRelease_v2":                &l.cuPrimaryRelease,
		"cuCtxCreate_v2":                              &l.cuCtxCreate,
		"cuCtxDestroy_v2":                             &l.cuCtxDestroy,
		"cuCtxSetCurrent":                             &l.cuCtxSetCurrent,
		"cuCtxSynchronize":                            &l.cuCtxSynchronize,
		"cuCtxEnablePeerAccess":                       &l.cuPeerAccess,
		"cuMemGetInfo_v2":                             &l.cuMemGetInfo,
		"cuMemAlloc_v2":                               &l.cuMemAlloc,
		"cuMemFree_v2":                                &l.cuMemFree,
		"cuMemHostAlloc":                              &l.cuMemHostAlloc,
		"cuMemFreeHost":                               &l.cuMemFreeHost,
		"cuStreamCreate":                              &l.cuStreamCreate,
		"cuStreamDestroy_v2":                          &l.cuStreamDestroy,
		"cuStreamSynchronize":                         &l.cuStreamSynchronize,
		"cuStreamWaitEvent":                           &l.cuStreamWaitEvent,
		"cuEventCreate":                               &l.cuEventCreate,
		"cuEventDestroy_v2":                           &l.cuEventDestroy,
		"cuEventRecord":                               &l.cuEventRecord,
		"cuEventSynchronize":                          &l.cuEventSynchronize,
		"cuEventQuery":                                &l.cuEventQuery,
		"cuEventElapsedTime":                          &l.cuEventElapsedTime,
		"cuMemcpyHtoDAsync_v2":                        &l.cuMemcpyHtoDAsync,
		"cuMemcpyDtoHAsync_v2":                        &l.cuMemcpyDtoHAsync,
		"cuMemcpyDtoDAsync_v2":                        &l.cuMemcpyDtoDAsync,
		"cuMemsetD8Async":                             &l.cuMemsetD8Async,
		"cuModuleLoadData":                            &l.cuModuleLoadData,
		"cuModuleUnload":                              &l.cuModuleUnload,
		"cuModuleGetFunction":                         &l.cuModuleGetFunction,
		"cuFuncGetAttribute":                          &l.cuFuncGetAttribute,
		"cuFuncSetAttribute":                          &l.cuFuncSetAttribute,
		"cuOccupancyMaxActiveBlocksPerMultiprocessor": &l.cuOccupancyMaxBlocks,
		"cuLaunchKernel":                              &l.cuLaunchKernel,
	}
}

// openLibrary opens the first library of names that is found, and looks up its functions; those of
// optional may be missing, and are 0 then. Errors call the library title if none is found. before,
// if not nil, is called with each name before it is opened.
func openLibrary(
	title string, names []string, functions, optional map[string]*uintptr, advice string,
	before func(name string),
) error {
	var handle uintptr
	var errs []error
	name := title
	for _, n := range names {
		if before != nil {
			before(n)
		}
		h, err := purego.Dlopen(n, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			name, handle = n, h
			break
		}
		errs = append(errs, err)
	}
	if handle == 0 {
		return &LibraryError{Library: name, Advice: advice, Err: errors.Join(errs...)}
	}
	for f, p := range functions {
		a, err := purego.Dlsym(handle, f)
		if err != nil {
			return &LibraryError{
				Library: name, Missing: f,
				Advice: fmt.Sprintf("it is too old; CUDA %s or later is needed",
					versionText(minimum)), Err: err,
			}
		}
		*p = a
	}
	for f, p := range optional {
		*p, _ = purego.Dlsym(handle, f) // an error leaves 0
	}
	return nil
}

// call calls a C function that returns an int. Memory that pointer arguments refer to does not
// move if they are converted in the call itself (unsafe.Pointer, rule 4).
//
//go:uintptrescapes
func call(f uintptr, args ...uintptr) int {
	r, _, _ := purego.SyscallN(f, args...)
	return int(int32(r))
}

// arguments are reused by call4 and callLaunch, since those of SyscallN escape to the heap.
var arguments = sync.Pool{New: func() any { return new([11]uintptr) }}

// call4 is call for functions of up to four parameters, without allocating.
//
//go:uintptrescapes
func call4(f, a, b, c, d uintptr) int {
	p := arguments.Get().(*[11]uintptr)
	p[0], p[1], p[2], p[3] = a, b, c, d
	r, _, _ := purego.SyscallN(f, p[:4]...)
	arguments.Put(p)
	return int(int32(r))
}

// callLaunch is call for cuLaunchKernel, without allocating.
func callLaunch(f, kernel uintptr, g *Grid, stream, parameters uintptr) int {
	p := arguments.Get().(*[11]uintptr)
	p[0] = kernel
	for i := range 3 {
		p[1+i], p[4+i] = uintptr(g.Blocks[i]), uintptr(g.Threads[i])
	}
	p[7], p[8], p[9], p[10] = uintptr(g.Shared), stream, parameters, 0
	r, _, _ := purego.SyscallN(f, p[:]...)
	arguments.Put(p)
	return int(int32(r))
}

// pointer converts an address of C's memory.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// text returns a C string.
func text(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n))
}

// cstring returns a string for C.
func cstring(s string) []byte { return append([]byte(s), 0) }
