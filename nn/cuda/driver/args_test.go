package driver

import (
	"math"
	"runtime"
	"testing"
	"unsafe"
)

// TestArgs checks that the pointers lead to the values that were set, also after garbage
// collections and stack growth.
func TestArgs(t *testing.T) {
	a := NewArgs().Ptr(1 << 40).Int32(-1).Int64(-2).Float32(math.Pi)
	runtime.GC()
	read := func(i int) unsafe.Pointer {
		return *(*unsafe.Pointer)(unsafe.Add(a.Pointers(), uintptr(i)*unsafe.Sizeof(uintptr(0))))
	}
	if v := *(*uint64)(read(0)); v != 1<<40 {
		t.Errorf("pointer %#x", v)
	}
	if v := *(*int32)(read(1)); v != -1 {
		t.Errorf("int %d", v)
	}
	if v := *(*int64)(read(2)); v != -2 {
		t.Errorf("long long %d", v)
	}
	if v := *(*float32)(read(3)); v != math.Pi {
		t.Errorf("float %v", v)
	}
	a.SetFloat32(3, 8)
	for i, want := range []struct {
		kind ArgKind
		bits uint64
	}{
		{ArgPtr, 1 << 40}, {ArgInt32, math.MaxUint32}, {ArgInt64, math.MaxUint64 - 1},
		{ArgFloat32, uint64(math.Float32bits(8))},
	} {
		if k, v := a.At(i); k != want.kind || v != want.bits {
			t.Errorf("argument %d is %v %#x, not %v %#x", i, k, v, want.kind, want.bits)
		}
	}
	if a.Reset().Len() != 0 || a.Pointers() != nil {
		t.Error("arguments after Reset")
	}
	for name, f := range map[string]func(){
		"another type":     func() { NewArgs().Int32(1).SetFloat32(0, 1) },
		"no such argument": func() { NewArgs().SetFloat32(0, 1) },
		"not by NewArgs":   func() { new(Args).Int32(1) },
		"too many": func() {
			a := NewArgs()
			for range MaxArgs + 1 {
				a.Int32(1)
			}
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	if n := testing.AllocsPerRun(100, func() {
		a.Reset().Ptr(1).Int32(2).Int64(3).Float32(4)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestViews(t *testing.T) {
	f := []float32{1, -2}
	b := Bytes(f)
	if len(b) != 8 || b[7] != 0xc0 {
		t.Errorf("bytes % x", b)
	}
	v := View[float32](b)
	v[1] = 3
	if len(v) != 2 || f[1] != 3 {
		t.Errorf("%v through a view of its bytes", f)
	}
	if Bytes([]int32{}) != nil || View[int32](nil) != nil {
		t.Error("views of empty slices are not empty")
	}
	for _, odd := range [][]byte{b[:5], b[1:5]} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			View[float32](odd)
		}()
	}
}
