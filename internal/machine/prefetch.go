package machine

import "unsafe"

// Prefetch asks the processor to load x into its caches, and does not wait for it. It does nothing
// on processors other than amd64 and arm64.
func Prefetch[T any](x []T) {
	if len(x) > 0 {
		prefetch(unsafe.Pointer(unsafe.SliceData(x)), uintptr(len(x))*unsafe.Sizeof(x[0]))
	}
}
