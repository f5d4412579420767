package kernels

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// clang returns a compiler of CUDA C++, or skips the test.
func clang(t *testing.T) string {
	t.Helper()
	for _, name := range []string{
		"clang", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16",
	} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("clang was not found")
	return ""
}

// ptx compiles a source as CUDA C++ to PTX; nothing validates the inline instructions.
func ptx(t *testing.T, clang string, s driver.Source) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range s.Headers {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, out := filepath.Join(dir, "main.cu"), filepath.Join(dir, "main.ptx")
	if err := os.WriteFile(file, []byte(s.Text), 0o644); err != nil {
		t.Fatal(err)
	}
	header, err := filepath.Abs("testdata/clang.h")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{
		"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc", "-nocudalib",
		"-std=c++17", "-O3",
		"-Xclang", "-target-feature", "-Xclang", "+ptx78", "-S", "-o", out, "-I", dir, "-include",
		header, "-Wno-unknown-cuda-version",
	}
	for _, d := range s.Defines {
		args = append(args, "-D"+d)
	}
	if log, err := exec.Command(clang, append(args, file)...).CombinedOutput(); err != nil ||
		strings.Contains(string(log), "not unrolled") {
		t.Fatalf("%s %v: %v\n%s", s.Name, s.Defines, err, log)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSourcesAreCUDA compiles the sources, which the emulation compiles as C, as CUDA C++. Sums
// and fragments must be in registers, and loads must be known to be from shared or global memory.
func TestSourcesAreCUDA(t *testing.T) {
	compiler := clang(t)
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 26, Blocks: 2, Filters: 128,
		Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 64,
		Support: []float32{0, 1, 2},
	}
	other := nn.Spec{
		Planes: 33, Height: 4, Width: 7, Players: 2, Actions: 60, Blocks: 1, Filters: 48,
		Policy: nn.PolicyDense, Value: nn.ValueLinear, Hidden: 20,
	}
	check := func(s driver.Source, spills bool) {
		t.Run(fmt.Sprint(s.Name, s.Defines), func(t *testing.T) {
			text := ptx(t, compiler, s)
			if !spills && strings.Contains(text, ".local") {
				t.Error("an array of a kernel is in memory")
			}
			for _, line := range strings.Split(text, "\n") {
				if f := strings.Fields(line); len(f) > 0 &&
					(strings.HasPrefix(f[0], "ld.u") || strings.HasPrefix(f[0], "ld.v") ||
						strings.HasPrefix(f[0], "ld.f")) {
					t.Errorf("a load from an unknown address space: %s", line)
				}
			}
		})
	}
	for _, p := range []Precision{BF16, TF32} {
		check(HeadsSource(p), false)
	}
	for _, s := range []nn.Spec{spec, other} {
		for _, c := range []struct {
			p Precision
			w Way
		}{{BF16, WGMMA}, {BF16, MMA}, {TF32, MMA}, {FP32, Layers}} {
			r, err := NewInference(s, c.p, c.w, devices()[0])
			if err != nil {
				t.Fatal(err)
			}
			check(r.Source(), false)
		}
	}
	layer := Layer{Taps: 9, Height: 5, Width: 5, In: 128, Out: 128}
	for _, p := range []Precision{BF16, TF32, FP32} {
		for _, name := range []string{TrainNorm, TrainHeads, TrainUpdate, TrainCheck} {
			check(TrainingSource(name, p), true)
		}
		for _, positions := range []int{256 * 25, 4096 * 25} {
			product, err := NewProduct(layer, positions, p, devices()[0])
			if err != nil {
				t.Fatal(err)
			}
			check(product.Source, false)
		}
		gradient, err := NewGradient(layer, 4096*25, p, devices()[0])
		if err != nil {
			t.Fatal(err)
		}
		check(gradient.Source, false)
	}
}
