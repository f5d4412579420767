package driver

import (
	"math"
	"unsafe"
)

// MaxArgs is the largest number of a kernel's arguments.
const MaxArgs = 48

// ArgKind is an argument's type.
type ArgKind uint8

// The types that a kernel's parameters can have.
const (
	ArgPtr     ArgKind = iota // a pointer into device memory, 8 bytes
	ArgInt32                  // int or unsigned, 4 bytes
	ArgInt64                  // long long or unsigned long long, 8 bytes
	ArgFloat32                // float, 4 bytes
)

// String is the type's name in C.
func (k ArgKind) String() string {
	return [...]string{"pointer", "int", "long long", "float"}[k]
}

// Args are a kernel's arguments, in the order of its parameters. They are made
// once by NewArgs and reused: after Reset, or with the Set methods, which change one
// in place. Adding more than MaxArgs panics.
type Args struct {
	n      int
	kinds  [MaxArgs]ArgKind
	values [MaxArgs]uint64
	// What cuLaunchKernel reads: addresses of values. Args never lie on a
	// stack, which could move (see NewArgs).
	pointers [MaxArgs]unsafe.Pointer
}

// NewArgs gives an empty list. It is not inlined: so what it gives is always on the heap.
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

// Len is the number of arguments.
func (a *Args) Len() int { return a.n }

// At is an argument's type and bits; 32-bit ones are in the lower half.
func (a *Args) At(i int) (ArgKind, uint64) {
	if i >= a.n {
		panic("driver: no such argument")
	}
	return a.kinds[i], a.values[i]
}

// Pointers is what cuLaunchKernel takes as kernelParams; nil where there is no argument.
func (a *Args) Pointers() unsafe.Pointer {
	if a.n == 0 {
		return nil
	}
	return unsafe.Pointer(&a.pointers[0])
}

func (a *Args) add(k ArgKind, bits uint64) *Args {
	if a.pointers[0] == nil {
		panic("driver: Args that NewArgs did not make")
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

func (a *Args) set(i int, k ArgKind, bits uint64) {
	if i >= a.n || a.kinds[i] != k {
		panic("driver: an argument is set that is not there or has another type")
	}
	a.values[i] = bits
}

// SetPtr changes argument i, a pointer.
func (a *Args) SetPtr(i int, p Ptr) { a.set(i, ArgPtr, uint64(p)) }

// SetInt32 changes argument i, an int.
func (a *Args) SetInt32(i int, v int32) { a.set(i, ArgInt32, uint64(uint32(v))) }

// SetInt64 changes argument i, a long long.
func (a *Args) SetInt64(i int, v int64) { a.set(i, ArgInt64, uint64(v)) }

// SetFloat32 changes argument i, a float.
func (a *Args) SetFloat32(i int, v float32) { a.set(i, ArgFloat32, uint64(math.Float32bits(v))) }
