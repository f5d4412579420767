//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"

	"tengen/nn/cuda/driver"
)

// machine lets gcc use the processor's instructions, above all fma, to which CUDA's compiler
// contracts too.
var machine = map[string][]string{
	"amd64": {"-march=native"}, "arm64": {"-mcpu=native"},
}[goruntime.GOARCH]

// flags for compiling kernels. UBSan's findings trap, so its library is not needed. The C and
// mathematical libraries come with the runtime's, which is opened first: to link with them would
// take two fifths of a compilation.
var flags = []string{
	"-x", "c", "-std=gnu11", "-O2", "-gdwarf-4", "-shared", "-nostdlib", "-fPIC", "-Wl,-Bsymbolic",
	"-ffp-contract=fast", "-fno-math-errno", "-fno-strict-aliasing", "-fstack-clash-protection",
	"-fsanitize=bounds,alignment,null,integer-divide-by-zero,signed-integer-overflow,shift-exponent,unreachable",
	"-fsanitize-undefined-trap-on-error",
	"-Wall", "-Wno-unused", "-Wno-unknown-pragmas",
	"-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types",
	"-Werror=int-conversion", "-Werror=implicit-int", "-Werror=c++-compat",
}

// images compiled in this process, by key: tests often compile the same source.
var images sync.Map

func (c *context) Compile(s driver.Source) (image []byte, remarks string, err error) {
	arch := []string{fmt.Sprintf("-D__CUDA_ARCH__=%d", 10*c.device.Capability())}
	if c.device.Capability() == 90 {
		arch = append(arch, "-D__CUDA_ARCH_FEAT_SM90_ALL=1")
	}
	key := s.Key(arch...)
	if image, ok := images.Load(key); ok {
		return image.([]byte), "", nil
	}
	dir, err := os.MkdirTemp("", "tengen-emulate-")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, host); err != nil {
		return nil, "", err
	}
	if err := writeSource(dir, s, nil); err != nil {
		return nil, "", err
	}
	args := append(append([]string{}, flags...), machine...)
	args = append(args, "-I.", "-Ihost")
	args = append(args, arch...)
	for _, d := range s.Defines {
		args = append(args, "-D"+d)
	}
	args = append(args, "-o", "kernel.so", sourceName(s), "-lgcc")
	gcc := exec.Command(c.gcc, args...)
	gcc.Dir = dir
	gcc.Env = append(os.Environ(), "LC_ALL=C")
	if log, err := gcc.CombinedOutput(); err != nil {
		if len(log) == 0 {
			log = []byte(err.Error())
		}
		return nil, "", &driver.CompileError{
			Name: sourceName(s), Log: strings.TrimSpace(string(log)),
		}
	}
	image, err = os.ReadFile(filepath.Join(dir, "kernel.so"))
	if err != nil {
		return nil, "", err
	}
	images.Store(key, image)
	return image, "", nil
}

func (c *context) Compiler() (string, error) {
	v, err := exec.Command(c.gcc, "-dumpfullversion").Output()
	if err != nil {
		return "", fmt.Errorf("emulate: %s -dumpfullversion: %w", c.gcc, err)
	}
	return "gcc " + strings.TrimSpace(string(v)), nil
}
