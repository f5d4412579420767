package cuda_test

import (
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// TestPresetsHaveATower plans every preset for an H200 and an A10: each must fit a faster way
// than plain layers.
func TestPresetsHaveATower(t *testing.T) {
	for name, spec := range nntest.Presets() {
		for _, d := range []driver.Device{emulate.Hopper(), emulate.Ampere()} {
			for _, p := range []kernels.Precision{kernels.BF16, kernels.TF32} {
				all := kernels.Ways(spec, p, &d)
				if want := kernels.MMA; all[0] != want &&
					(all[0] != kernels.WGMMA || p != kernels.BF16 || d.Major != 9) {
					t.Errorf("%s in %s on %s: the ways are %v", name, p, d.Name, all)
				}
				r, err := kernels.NewInference(spec, p, all[0], &d)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %s", name, r.Describe(&d))
			}
		}
	}
}
