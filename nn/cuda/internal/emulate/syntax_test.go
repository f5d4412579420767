package emulate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// checked checks a source as CUDA C++, or skips the test.
func checked(t *testing.T, what string, s driver.Source, capability int) {
	t.Helper()
	err := emulate.CheckCUDA(s, capability)
	if errors.Is(err, emulate.ErrNoCompiler) {
		t.Skip(err)
	}
	if c := new(driver.CompileError); errors.As(err, &c) {
		t.Errorf("%s: %s", what, c.Log)
	} else if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// TestKernelsAreCUDA checks that the backend's kernels are C++ as well as C.
func TestKernelsAreCUDA(t *testing.T) {
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 26, Blocks: 2, Filters: 64,
		Policy: nn.PolicyDense, Value: nn.ValueLinear, Hidden: 32,
	}
	hopper := emulate.Hopper()
	for _, p := range []kernels.Precision{kernels.BF16, kernels.TF32} {
		for _, way := range kernels.Ways(spec, p, &hopper) {
			plan, err := kernels.NewInference(spec, p, way, &hopper)
			if err != nil {
				t.Fatal(err)
			}
			checked(t, fmt.Sprint(p, " ", way), plan.Source(), 90)
		}
		checked(t, fmt.Sprint(p, " heads"), kernels.HeadsSource(p), 90)
		for _, name := range []string{
			kernels.TrainNorm, kernels.TrainHeads, kernels.TrainUpdate, kernels.TrainCheck,
		} {
			checked(t, fmt.Sprint(p, " ", name), kernels.TrainingSource(name, p), 86)
		}
	}
}

// TestKernelsAreCUDAOfTuring is the same for 7.5.
func TestKernelsAreCUDAOfTuring(t *testing.T) {
	spec, turing := nntest.Specs()[1], emulate.Turing()
	for _, way := range kernels.Ways(spec, kernels.FP16, &turing) {
		plan, err := kernels.NewInference(spec, kernels.FP16, way, &turing)
		if err != nil {
			t.Fatal(err)
		}
		checked(t, string(way), plan.Source(), 75)
	}
	list := append(kernels.GeneralInferenceSources(kernels.FP16),
		kernels.HeadsSource(kernels.FP16))
	for _, s := range append(list, kernels.GeneralSources(kernels.FP32)...) {
		checked(t, s.Name, s, 75)
	}
}

func TestCheckCUDASeesC(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"KERNEL(test)(void *p) { float *x = p; }", "invalid conversion"},
		{"KERNEL(test)(float *p) { p[0] = erff(p[1]); }", "erff"},
		{"KERNEL(test)(float *p) { float new = 5; p[0] = new; }", "new"},
	} {
		err := emulate.CheckCUDA(source(t, c.text), 90)
		if errors.Is(err, emulate.ErrNoCompiler) {
			t.Skip(err)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v", c.text, err)
		}
	}
}
