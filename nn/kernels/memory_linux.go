package kernels

import (
	"syscall"
	"unsafe"
)

// adviseHugePages asks the system for huge pages under x, which has not been touched yet. If
// the system refuses, only speed is affected.
func adviseHugePages(x []float32) {
	const advice = 14 // MADV_HUGEPAGE
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x))) &^ (hugePage - 1)
	to := uintptr(unsafe.Pointer(&x[len(x)-1])) | (hugePage - 1)
	syscall.Syscall(syscall.SYS_MADVISE, from, to+1-from, advice)
}
