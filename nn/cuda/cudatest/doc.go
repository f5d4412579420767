// Package cudatest gives tests outside nn/cuda emulated CUDA devices.
//
//	api := cudatest.Ampere(t, 2)
//	b, err := cudabackend.New(api, backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 1}}, cudabackend.Options{})
//
// The emulation needs gcc and Linux on amd64 or arm64; elsewhere tests are skipped.
package cudatest

import (
	"fmt"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// Ampere returns a driver with n emulated devices of compute capability 8.6 and UUIDs GPU-0,
// GPU-1, …, or skips the test.
func Ampere(t testing.TB, n int) driver.API {
	t.Helper()
	var o emulate.Options
	for i := range n {
		d := emulate.Ampere()
		d.UUID = fmt.Sprintf("GPU-%d", i)
		o.Devices = append(o.Devices, d)
	}
	return emulate.ForTest(t, o)
}
