//go:build gpu

package cudabackend

import (
	"slices"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// TestKernelsAhead checks that the embedded kernels are those of the present sources: every network plays and trains
// without NVRTC, and the presets have faster kernels on an H100 and an A100. A preset that is newer than the
// file is named only: it waits for the next release.
func TestKernelsAhead(t *testing.T) {
	ahead, err := driver.OpenAhead(kernelsZip)
	if err != nil {
		t.Fatal(err)
	}
	names := ahead.Names()
	has := func(s driver.Source, architecture string) bool {
		return slices.Contains(names, driver.AheadName(&s, architecture))
	}
	const stale = "is not among the embedded images: run tools/kernels (see its doc.go)"
	if !has(kernels.LayeredSource(), "compute_80") {
		t.Error("the kernel that serves every network", stale)
	}
	for _, p := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
		for _, s := range append(kernels.GeneralInferenceSources(p), kernels.GeneralSources(p)...) {
			if !has(s, "compute_80") {
				t.Error(p, s.Name, s.Defines, stale)
			}
		}
	}
	found := 0
	for _, d := range []driver.Device{
		{Major: 8, SharedBlock: 163 << 10, SharedSM: 164 << 10, ThreadsSM: 2048, Registers: 65536, SMs: 108},
		{Major: 9, SharedBlock: 227 << 10, SharedSM: 228 << 10, ThreadsSM: 2048, Registers: 65536, SMs: 132},
	} {
		for name, spec := range nntest.Presets() {
			plan, err := kernels.NewInference(spec, kernels.BF16, kernels.MMA, &d)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if has(plan.Source(), map[int]string{8: "sm_80", 9: "compute_80"}[d.Major]) {
				found++
			} else {
				t.Logf("%s on %d.0 %s", name, d.Major, stale)
			}
		}
	}
	if found == 0 {
		t.Error("the kernels of every preset", stale)
	}
	images, err := driver.ReadAhead(kernelsZip)
	if err != nil {
		t.Fatal(err)
	}
	for name, image := range images {
		if strings.HasPrefix(name, "compute_") {
			// PTX 7.8 is CUDA 11.8's: drivers from 520 load it.
			if !strings.Contains(string(image[:min(len(image), 2000)]), ".version 7.") || !strings.Contains(string(image), ".target sm_80") {
				t.Errorf("%s is not PTX for drivers from 520", name)
			}
		} else if _, err := driver.ReadImage(image); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
