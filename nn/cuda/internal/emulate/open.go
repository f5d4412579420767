//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ebitengine/purego"

	"tengen/nn/cuda/driver"
)

// library is the runtime shared by all modules, built and opened once per process.
var library = sync.OnceValues(openLibrary)

type runtime struct {
	compiler *compiler
	images   sync.Map // compiled in this process, by key: tests often compile the same source
	launch   uintptr  // host_launch
	base     uintptr  // host_base
}

func openLibrary() (*runtime, error) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		return nil, ErrNoCompiler
	}
	c, err := newCompiler(gcc)
	if err != nil {
		return nil, err
	}
	files, err := hostFiles()
	if err != nil {
		return nil, err
	}
	options := []string{
		"-std=gnu11", "-O2", "-g", "-shared", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off",
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".c" {
			options = append(options, name)
		}
	}
	// The runtime has no need of libm, but the kernels have.
	options = append(options, "-ldl", "-lpthread", "-Wl,--no-as-needed", "-lm")
	library, err := c.build("the runtime", files, options)
	if err != nil {
		return nil, fmt.Errorf("emulate: %w", err)
	}
	f, err := os.CreateTemp("", "tengen-emulate-*.so")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(library)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(f.Name(), purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("emulate: open the runtime: %w", err)
	}
	r := &runtime{compiler: c}
	if r.launch, err = purego.Dlsym(handle, "host_launch"); err == nil {
		r.base, err = purego.Dlsym(handle, "host_base")
	}
	return r, err
}

// emulated implements driver.API.
type emulated struct {
	*runtime
	o       Options
	devices []driver.Device
}

// Open returns a driver with emulated devices.
func Open(o Options) (driver.API, error) {
	r, err := library()
	if err != nil {
		return nil, err
	}
	e := &emulated{runtime: r, o: o, devices: append([]driver.Device(nil), o.Devices...)}
	if len(e.devices) == 0 {
		e.devices = []driver.Device{Hopper()}
	}
	for i := range e.devices {
		e.devices[i].Ordinal, e.devices[i].Emulated = i, true
	}
	return e, nil
}

func (e *emulated) Version() int { return version }

func (e *emulated) Devices() ([]driver.Device, error) {
	return append([]driver.Device(nil), e.devices...), nil
}

// OpenSeparate is Open: contexts share nothing.
func (e *emulated) OpenSeparate(ordinal int) (driver.Context, error) { return e.Open(ordinal) }

func (e *emulated) Open(ordinal int) (driver.Context, error) {
	if ordinal < 0 || ordinal >= len(e.devices) {
		return nil, &driver.CallError{
			Call: "cuDeviceGet", Code: 101, Reason: "invalid device ordinal",
		}
	}
	return newContext(e.runtime, e.o, e.devices[ordinal]), nil
}

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
