package machine

import (
	"syscall"
	"unsafe"
)

// AdviseHugePages asks the system for huge pages under x up to its capacity, which has not been
// touched yet, unless it is small. If the system refuses, only speed is affected.
func AdviseHugePages[T any](x []T) {
	const (
		page   = 2 << 20
		least  = 16 << 10 // the heap places buffers next to one another
		advice = 14       // MADV_HUGEPAGE
	)
	size := uintptr(cap(x)) * unsafe.Sizeof(*new(T))
	if size < least {
		return
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	to := (from + size + page - 1) &^ (page - 1)
	from &^= page - 1
	syscall.Syscall(syscall.SYS_MADVISE, from, to-from, advice)
}
