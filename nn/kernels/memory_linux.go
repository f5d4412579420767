package kernels

import (
	"syscall"
	"unsafe"
)

// adviseHugePages asks for large pages under x, before x is first touched. It
// is a hint: where the system does not follow, nothing else changes.
func adviseHugePages(x []float32) {
	const advice = 14 // MADV_HUGEPAGE
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x))) &^ (hugePage - 1)
	to := uintptr(unsafe.Pointer(&x[len(x)-1])) | (hugePage - 1)
	syscall.Syscall(syscall.SYS_MADVISE, from, to+1-from, advice)
}
