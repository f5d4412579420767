// Package fake is a driver.API for tests of error paths: each call can be made to fail, and
// created and freed objects are counted.
//
// It wraps another API (nn/cuda/internal/emulate's, say), or none: then device memory is host
// memory, every source compiles, and kernels do nothing.
//
//	d := fake.New(nil)
//	d.Fail("Alloc", 3, &driver.MemoryError{Wanted: 1 << 30, Free: 1 << 20})
//	ctx, err := d.Open(0)
//	… // the third Alloc returns the error
//	if left := d.Left(); len(left) > 0 {
//		t.Error("not freed:", left)
//	}
//
// [Ampere] gives tests outside nn/cuda emulated devices. The emulation needs gcc and Linux on amd64
// or arm64; elsewhere the tests are skipped.
//
// Calls are named after the methods of driver.API and driver.Context.
package fake
