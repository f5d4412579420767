//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"tengen/nn/cuda/driver"
)

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

func (c *context) Compile(s driver.Source) (image []byte, remarks string, err error) {
	arch := []string{fmt.Sprintf("-D__CUDA_ARCH__=%d", 10*c.device.Capability())}
	if c.device.Capability() == 90 {
		arch = append(arch, "-D__CUDA_ARCH_FEAT_SM90_ALL=1")
	}
	key := s.Key(arch...)
	if image, ok := c.images.Load(key); ok {
		return image.([]byte), "", nil
	}
	files, err := hostFiles()
	if err != nil {
		return nil, "", err
	}
	maps.Copy(files, sourceFiles(s))
	options := append(slices.Concat(flags, arch), "-I.", "-Ihost")
	for _, d := range s.Defines {
		options = append(options, "-D"+d)
	}
	image, err = c.compiler.build(sourceName(s), files, append(options, sourceName(s), "-lgcc"))
	if err == nil {
		c.images.Store(key, image)
	}
	return image, "", err
}

func (c *context) Compiler() (string, error) {
	v, err := exec.Command(c.compiler.gcc, "-dumpfullversion").Output()
	if err != nil {
		return "", fmt.Errorf("emulate: %s -dumpfullversion: %w", c.compiler.gcc, err)
	}
	return "gcc " + strings.TrimSpace(string(v)), nil
}
