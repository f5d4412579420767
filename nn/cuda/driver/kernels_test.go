//go:build gpu && linux

package driver_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// TestKernelsCompile compiles the backend's kernels for devices, if NVRTC is present, and checks
// that they keep no array or spilled register in local memory. It logs their resources.
func TestKernelsCompile(t *testing.T) {
	support := make([]float32, 26)
	for i := range support {
		support[i] = float32(i)
	}
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: 8, Filters: 128,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64, Support: support,
	}
	hopper := driver.Device{
		Major: 9, SMs: 132, SharedBlock: 227 << 10, SharedSM: 228 << 10, Registers: 65536,
		ThreadsSM: 2048, L2: 50 << 20, ClockKHz: 1980000,
	}
	ampere := driver.Device{
		Major: 8, Minor: 6, SMs: 72, SharedBlock: 99 << 10, SharedSM: 100 << 10, Registers: 65536,
		ThreadsSM: 1536, L2: 6 << 20, ClockKHz: 1695000,
	}
	turing := driver.Device{
		Major: 7, Minor: 5, SMs: 40, SharedBlock: 64 << 10, SharedSM: 64 << 10, Registers: 65536,
		ThreadsSM: 1024, L2: 4 << 20, ClockKHz: 1590000,
	}
	for _, c := range []struct {
		d driver.Device
		p []kernels.Precision
	}{
		{hopper, []kernels.Precision{kernels.BF16, kernels.TF32, kernels.FP32}},
		{ampere, []kernels.Precision{kernels.BF16}},
		{turing, []kernels.Precision{kernels.FP16, kernels.FP32}},
	} {
		d := c.d
		for _, p := range c.p {
			for _, way := range kernels.Ways(spec, p, &d) {
				plan, err := kernels.NewInference(spec, p, way, &d)
				if err != nil {
					t.Fatal(err)
				}
				compiles(t, fmt.Sprintf("%d %s %s", d.Capability(), p, way), plan.Source(),
					d.Capability())
			}
			list := append(kernels.GeneralInferenceSources(p), kernels.HeadsSource(p))
			if p != kernels.FP16 {
				list = append(list, kernels.GeneralSources(p)...)
			}
			for _, s := range list {
				compiles(t, fmt.Sprintf("%d %s %s %v", d.Capability(), p, s.Name, s.Defines), s,
					d.Capability())
			}
		}
	}
}

func compiles(t *testing.T, what string, s driver.Source, capability int) {
	t.Helper()
	image, log, err := driver.CompileFor(s, capability)
	if l := new(driver.LibraryError); errors.As(err, &l) {
		t.Skip(err)
	}
	if c := new(driver.CompileError); errors.As(err, &c) {
		t.Errorf("%s: %s", what, c.Log)
		return
	}
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if log != "" {
		t.Logf("%s: %s", what, log)
	}
	all, err := driver.ReadImage(image)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %s: %+v", what, name, all[name])
		if n := all[name].Local; n > 0 {
			t.Errorf("%s: %s keeps %d bytes per thread in local memory", what, name, n)
		}
	}
}
