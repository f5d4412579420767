//go:build gpu && linux

package driver

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Numbers of function attributes (cuda.h, CUfunction_attribute).
const (
	functionMaxThreads    = 0
	functionShared        = 1
	functionLocal         = 3
	functionRegisters     = 4
	functionDynamicShared = 8
)

func (x *cudaContext) Load(image []byte) (Module, error) {
	if len(image) == 0 {
		return 0, &CallError{Call: "cuModuleLoadData", Code: 200, Reason: "the image is empty"}
	}
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var m uintptr
	r := call(x.cuModuleLoadData, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&image[0])))
	runtime.KeepAlive(image)
	if err := x.check("cuModuleLoadData", r); err != nil {
		return 0, err
	}
	x.keep(moduleKind, m)
	return Module(m), nil
}

func (x *cudaContext) Unload(m Module) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	x.forget(moduleKind, uintptr(m))
	return x.check("cuModuleUnload", call(x.cuModuleUnload, uintptr(m)))
}

func (x *cudaContext) Function(m Module, name string) (Function, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var f uintptr
	n := cstring(name)
	r := call(x.cuModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m),
		uintptr(unsafe.Pointer(&n[0])))
	runtime.KeepAlive(n)
	if err := x.check("cuModuleGetFunction", r); err != nil {
		return 0, fmt.Errorf("kernel %s: %w", name, err)
	}
	return Function(f), nil
}

func (x *cudaContext) FunctionInfo(f Function) (FunctionInfo, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return FunctionInfo{}, err
	}
	defer x.leave()
	var info FunctionInfo
	for _, a := range []struct {
		number int
		to     *int
	}{
		{functionRegisters, &info.Registers}, {functionShared, &info.Shared},
		{functionLocal, &info.Local}, {functionMaxThreads, &info.MaxThreads},
	} {
		var v int32
		r := call(x.cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a.number), uintptr(f))
		if err := x.check("cuFuncGetAttribute", r); err != nil {
			return FunctionInfo{}, err
		}
		*a.to = int(v)
	}
	return info, nil
}

func (x *cudaContext) AllowShared(f Function, bytes int) error {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return err
	}
	defer x.leave()
	return x.check("cuFuncSetAttribute",
		call(x.cuFuncSetAttribute, uintptr(f), functionDynamicShared, uintptr(bytes)))
}

func (x *cudaContext) Occupancy(f Function, threads, shared int) (int, error) {
	if err := x.enter("cuCtxSetCurrent"); err != nil {
		return 0, err
	}
	defer x.leave()
	var n int32
	r := call(x.cuOccupancyMaxBlocks, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads),
		uintptr(shared))
	return int(n), x.check("cuOccupancyMaxActiveBlocksPerMultiprocessor", r)
}
