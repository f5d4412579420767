package training

import (
	"syscall"
	"unsafe"
)

// wantHugePages asks the system for huge pages. If it refuses, only speed is affected.
func wantHugePages(x []float32) {
	const page = 2 << 20
	address := uintptr(unsafe.Pointer(&x[0]))
	skip := int(-address % page)
	size := (len(x)*4 - skip) / page * page
	if size <= 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*4)
	_ = syscall.Madvise(bytes[skip:skip+size], 14) // MADV_HUGEPAGE
}
