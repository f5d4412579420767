package driver

import (
	"math"
	"unsafe"
)

// MaxArgs is the maximum number of arguments of a kernel.
const MaxArgs = 48

// ArgKind is an argument's type.
type ArgKind uint8

// The types of kernel parameters.
const (
	ArgPtr     ArgKind = iota // a pointer into device memory, 8 bytes
	ArgInt32                  // int or unsigned, 4 bytes
	ArgInt64                  // long long or unsigned long long, 8 bytes
	ArgFloat32                // float, 4 bytes
)

// String returns the type's name in C.
func (k ArgKind) String() string {
	return [...]string{"pointer", "int", "long long", "float"}[k]
}

// Args are a kernel's arguments, in the order of its parameters. Make them once with NewArgs and
// reuse them, with Reset or with the Set methods, which change one argument. Adding more than
// MaxArgs panics.
type Args struct {
	n      int
	kinds  [MaxArgs]ArgKind
	values [MaxArgs]uint64
	// cuLaunchKernel reads these addresses of values. Args are never on a stack, which could move
	// (see NewArgs).
	pointers [MaxArgs]unsafe.Pointer
}

// NewArgs returns an empty list. It is not inlined, so the list is always on the heap.
//
//go:noinline
func NewArgs() *Args {
	a := &Args{}
	for i := range a.pointers {
		a.pointers[i] = unsafe.Pointer(&a.values[i])
	}
	return a
}

// Reset empties the list.
func (a *Args) Reset() *Args {
	a.n = 0
	return a
}

// clone returns a copy.
func (a *Args) clone() *Args {
	b := NewArgs()
	if a != nil {
		b.n, b.kinds, b.values = a.n, a.kinds, a.values
	}
	return b
}

// Len returns the number of arguments.
func (a *Args) Len() int { return a.n }

// At returns an argument's type and bits; 32-bit values are in the lower half.
func (a *Args) At(i int) (ArgKind, uint64) {
	if i >= a.n {
		panic("driver: no such argument")
	}
	return a.kinds[i], a.values[i]
}

// Pointers returns kernelParams for cuLaunchKernel; nil without arguments.
func (a *Args) Pointers() unsafe.Pointer {
	if a.n == 0 {
		return nil
	}
	return unsafe.Pointer(&a.pointers[0])
}

func (a *Args) add(k ArgKind, bits uint64) *Args {
	if a.pointers[0] == nil {
		panic("driver: Args must be made by NewArgs")
	}
	a.kinds[a.n], a.values[a.n] = k, bits
	a.n++
	return a
}

// Ptr adds a pointer.
func (a *Args) Ptr(p Ptr) *Args { return a.add(ArgPtr, uint64(p)) }

// Int32 adds an int.
func (a *Args) Int32(v int32) *Args { return a.add(ArgInt32, uint64(uint32(v))) }

// Int64 adds a long long.
func (a *Args) Int64(v int64) *Args { return a.add(ArgInt64, uint64(v)) }

// Float32 adds a float.
func (a *Args) Float32(v float32) *Args { return a.add(ArgFloat32, uint64(math.Float32bits(v))) }

// SetFloat32 changes argument i, a float.
func (a *Args) SetFloat32(i int, v float32) {
	if i >= a.n || a.kinds[i] != ArgFloat32 {
		panic("driver: no argument of this index and type")
	}
	a.values[i] = uint64(math.Float32bits(v))
}

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
