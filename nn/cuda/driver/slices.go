package driver

import "unsafe"

// number is a type of numbers in device memory.
type number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Bytes returns the bytes of a slice of numbers, in the machine's order (little-endian, as on the
// device), without copying.
func Bytes[T number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// View returns bytes, such as those of AllocHost, as numbers, without copying. It panics if they
// are not aligned or not a whole number of them.
func View[T number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	n := int(unsafe.Sizeof(*new(T)))
	p := unsafe.Pointer(&b[0])
	if len(b)%n != 0 || uintptr(p)%uintptr(n) != 0 {
		panic("driver: View of bytes that are not whole, aligned numbers")
	}
	return unsafe.Slice((*T)(p), len(b)/n)
}

// HostPtr returns the address at which kernels access pinned host memory: that of the host, since
// both share one range of addresses.
func HostPtr(pinned []byte) Ptr { return Ptr(uintptr(unsafe.Pointer(unsafe.SliceData(pinned)))) }
