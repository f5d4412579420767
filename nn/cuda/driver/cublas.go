//go:build gpu && linux

package driver

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// blasLibraries are the names of cuBLAS, the newest first.
var blasLibraries = []string{
	"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so",
}

// products multiplies matrices with cuBLAS. It is used by one goroutine, locked to its thread
// until close.
type products struct {
	m       *measurer
	side    int
	handle  uintptr
	destroy uintptr // cublasDestroy_v2(handle)
	gemm    uintptr // cublasGemmEx: see multiply
}

func newProducts(m *measurer, side int) (*products, error) {
	var library uintptr
	var err error
	for _, name := range blasLibraries {
		if library, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("products are not measured: libcublas.so.12 was not found; it is part of the CUDA toolkit and of PyTorch: add its folder to LD_LIBRARY_PATH")
	}
	p := &products{m: m, side: side}
	var create, setStream uintptr // cublasCreate_v2(*handle), cublasSetStream_v2(handle, stream)
	for name, to := range map[string]*uintptr{
		"cublasCreate_v2": &create, "cublasSetStream_v2": &setStream,
		"cublasDestroy_v2": &p.destroy, "cublasGemmEx": &p.gemm,
	} {
		if *to, err = purego.Dlsym(library, name); err != nil {
			return nil, fmt.Errorf("products are not measured: cuBLAS has no %s", name)
		}
	}
	runtime.LockOSThread()
	// A driver call makes the context current on this thread; cuBLAS uses its device.
	if err := m.ctx.Synchronize(m.stream); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	if status := call(create, uintptr(unsafe.Pointer(&p.handle))); status != 0 {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("products are not measured: cublasCreate: status %d", status)
	}
	if status := call(setStream, p.handle, uintptr(m.stream)); status != 0 {
		p.close()
		return nil, fmt.Errorf("products are not measured: cublasSetStream: status %d", status)
	}
	return p, nil
}

// Types and compute modes, numbered as in library_types.h and cublas_api.h.
const (
	typeFP32, typeBF16    = 0, 14
	computeFP32, fastTF32 = 68, 77
	transposed            = 1
	defaultAlgorithm      = -1
)

// multiply enqueues C = Aᵀ·B.
func (p *products) multiply(k factors) error {
	number, compute := uintptr(typeFP32), uintptr(computeFP32)
	switch k {
	case bf16:
		number = typeBF16
	case tf32:
		compute = fastTF32
	}
	alpha, beta := float32(1), float32(0)
	n, algorithm := uintptr(p.side), defaultAlgorithm
	status := call(p.gemm, p.handle, transposed, 0, n, n, n,
		uintptr(unsafe.Pointer(&alpha)), uintptr(p.m.a), number, n, uintptr(p.m.b), number, n,
		uintptr(unsafe.Pointer(&beta)), uintptr(p.m.c), number, n, compute, uintptr(algorithm))
	if status != 0 {
		return fmt.Errorf("cublasGemmEx: status %d", status)
	}
	return nil
}

func (p *products) close() {
	_ = p.m.ctx.Synchronize(p.m.stream)
	call(p.destroy, p.handle)
	runtime.UnlockOSThread()
}
