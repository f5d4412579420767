package kernels

import "unsafe"

// aligned returns n zeros that begin on a cache line.
func aligned(n int) []float32 {
	const line = 64
	raw := make([]float32, n+line/size)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%line) / size
	if n*size >= hugePage/8 { // large buffers follow one another in the heap
		adviseHugePages(raw)
	}
	return raw[off : off+n : off+n]
}

// hugePage is a large page of the processor's memory management. On large pages weights
// stream some 3 % faster.
const hugePage = 2 << 20
