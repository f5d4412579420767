//go:build gpu && linux

package driver

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// nvrtc holds the addresses of the run-time compiler's functions. Their types in C:
type nvrtc struct {
	version   int   // 12060 is 12.6
	supported []int // architectures: 90 is sm_90

	nvrtcVersion              uintptr // (int *major, int *minor)
	nvrtcGetErrorString       uintptr // (nvrtcResult), gives a const char *
	nvrtcGetNumSupportedArchs uintptr // (int *)
	nvrtcGetSupportedArchs    uintptr // (int *)
	// (nvrtcProgram *, const char *source, const char *name, int headers, const char *const *texts,
	// const char *const *names)
	nvrtcCreateProgram     uintptr
	nvrtcDestroyProgram    uintptr // (nvrtcProgram *)
	nvrtcCompileProgram    uintptr // (nvrtcProgram, int, const char *const *options)
	nvrtcGetProgramLogSize uintptr // (nvrtcProgram, size_t *)
	nvrtcGetProgramLog     uintptr // (nvrtcProgram, char *)
	nvrtcGetCUBINSize      uintptr // (nvrtcProgram, size_t *)
	nvrtcGetCUBIN          uintptr // (nvrtcProgram, char *)
	nvrtcGetPTXSize        uintptr // (nvrtcProgram, size_t *)
	nvrtcGetPTX            uintptr // (nvrtcProgram, char *)
}

func (n *nvrtc) functions() map[string]*uintptr {
	return map[string]*uintptr{
		"nvrtcVersion":              &n.nvrtcVersion,
		"nvrtcGetErrorString":       &n.nvrtcGetErrorString,
		"nvrtcGetNumSupportedArchs": &n.nvrtcGetNumSupportedArchs,
		"nvrtcGetSupportedArchs":    &n.nvrtcGetSupportedArchs,
		"nvrtcCreateProgram":        &n.nvrtcCreateProgram,
		"nvrtcDestroyProgram":       &n.nvrtcDestroyProgram,
		"nvrtcCompileProgram":       &n.nvrtcCompileProgram,
		"nvrtcGetProgramLogSize":    &n.nvrtcGetProgramLogSize,
		"nvrtcGetProgramLog":        &n.nvrtcGetProgramLog,
		"nvrtcGetCUBINSize":         &n.nvrtcGetCUBINSize,
		"nvrtcGetCUBIN":             &n.nvrtcGetCUBIN,
		"nvrtcGetPTXSize":           &n.nvrtcGetPTXSize,
		"nvrtcGetPTX":               &n.nvrtcGetPTX,
	}
}

// nvrtcLibraries returns the names to try for the compiler: that in TENGEN_NVRTC, then the
// driver's own major version and earlier ones, whose code it is sure to load, then later ones;
// each first in the loader's path, then in the folders of toolkits and Python packages.
func nvrtcLibraries(version int) []string {
	var names []string
	if p := os.Getenv("TENGEN_NVRTC"); p != "" {
		names = append(names, p)
	}
	order := []string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}
	switch version / 1000 {
	case 12:
		order = []string{"libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.13"}
	case 11:
		order = []string{"libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"}
	}
	var folders []string
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if p := os.Getenv(variable); p != "" {
			folders = append(folders, filepath.Join(p, "lib64"))
		}
	}
	var roots []string // of Python's packages: the active environment's first
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := os.Getenv(variable); p != "" {
			folders = append(folders, filepath.Join(p, "lib"))
			roots = append(roots, filepath.Join(p, "lib/python3*"))
		}
	}
	folders = append(folders, "/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/opt/cuda/lib64")
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, filepath.Join(home, ".local/lib/python3*"))
	}
	for _, root := range append(roots, "/usr/lib/python3*", "/usr/local/lib/python3*",
		"/opt/*/lib/python3*") {
		for _, packages := range []string{"dist-packages", "site-packages"} {
			for _, folder := range []string{"cuda_nvrtc", "cu13"} {
				folders = append(folders, filepath.Join(root, packages, "nvidia", folder, "lib"))
			}
		}
	}
	for _, name := range order {
		names = append(names, name)
		for _, folder := range folders {
			found, _ := filepath.Glob(filepath.Join(folder, name)) // the pattern is valid
			names = append(names, found...)
		}
	}
	return append(names, "libnvrtc.so")
}

// openBuiltins opens the library that NVRTC itself opens later by its plain name. If NVRTC is in
// a folder of its own, so is that library, and the loader would not find it.
func openBuiltins(name string) {
	if !strings.Contains(name, "/") {
		return
	}
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "libnvrtc-builtins.so*"))
	for _, f := range found {
		// on failure, compiling reports it
		_, _ = purego.Dlopen(f, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	}
}

// compiler is opened by the first compilation.
var compiler struct {
	sync.Mutex
	nvrtc *nvrtc
}

// openCompiler opens NVRTC for a driver's CUDA version; 0 means any.
func openCompiler(version int) (*nvrtc, error) {
	compiler.Lock()
	defer compiler.Unlock()
	if compiler.nvrtc != nil {
		return compiler.nvrtc, nil
	}
	n := &nvrtc{}
	err := openLibrary("NVRTC (libnvrtc.so.13, .12 or .11.2)", nvrtcLibraries(version),
		n.functions(), nil, "it compiles the kernels: install CUDA's NVRTC (package cuda-nvrtc-12-8 or the like), or name the library in TENGEN_NVRTC", openBuiltins)
	if err != nil {
		return nil, err
	}
	var major, minor, count int32
	if r := call(n.nvrtcVersion, uintptr(unsafe.Pointer(&major)),
		uintptr(unsafe.Pointer(&minor))); r != 0 {
		return nil, n.failure("nvrtcVersion", r)
	}
	n.version = int(1000*major + 10*minor)
	if r := call(n.nvrtcGetNumSupportedArchs, uintptr(unsafe.Pointer(&count))); r != 0 {
		return nil, n.failure("nvrtcGetNumSupportedArchs", r)
	}
	archs := make([]int32, max(count, 1))
	if r := call(n.nvrtcGetSupportedArchs, uintptr(unsafe.Pointer(&archs[0]))); r != 0 {
		return nil, n.failure("nvrtcGetSupportedArchs", r)
	}
	for _, a := range archs[:count] {
		n.supported = append(n.supported, int(a))
	}
	compiler.nvrtc = n
	return n, nil
}

func (n *nvrtc) failure(name string, code int) error {
	r, _, _ := purego.SyscallN(n.nvrtcGetErrorString, uintptr(code))
	return &CallError{Call: name, Code: code, Reason: text(r)}
}

func (x *cudaContext) Compiler() (string, error) {
	n, err := openCompiler(x.version)
	if err != nil {
		return "", err
	}
	return "NVRTC " + versionText(n.version), nil
}

// cstrings are strings for C: an array of pointers and their targets.
type cstrings struct {
	pointers []unsafe.Pointer
	texts    [][]byte
}

func newCstrings(s []string) *cstrings {
	c := &cstrings{}
	for _, t := range s {
		b := cstring(t)
		c.texts = append(c.texts, b)
		c.pointers = append(c.pointers, unsafe.Pointer(&b[0]))
	}
	return c
}

// first returns the array's address, nil if it is empty.
func (c *cstrings) first() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(c.pointers)) }

func (x *cudaContext) Compile(s Source) (image []byte, remarks string, err error) {
	n, err := openCompiler(x.version)
	if err != nil {
		return nil, "", err
	}
	arch, ptx, err := architecture(x.device.Capability(), n.supported, n.version)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", x.device.Name, err)
	}
	return n.compile(s, arch, ptx)
}

// CompileFor compiles a source with NVRTC, as Context.Compile does, for devices of a compute
// capability (90 is 9.0). It needs neither device nor driver, so kernels can be checked anywhere.
// The log has the compiler's remarks, such as serialized matrix products. ReadImage returns the
// kernels' resources.
func CompileFor(s Source, capability int) (image []byte, log string, err error) {
	n, err := openCompiler(0)
	if err != nil {
		return nil, "", err
	}
	arch, ptx, err := architecture(capability, n.supported, n.version)
	if err != nil {
		return nil, "", err
	}
	return n.compile(s, arch, ptx)
}

// CompilerVersion returns NVRTC's version, 1000 × major + 10 × minor: 12040 is 12.4.
func CompilerVersion() (int, error) {
	n, err := openCompiler(0)
	if err != nil {
		return 0, err
	}
	return n.version, nil
}

// CompileArchitecture is CompileFor for an architecture: "sm_90" for machine code (with wgmma,
// which NVRTC 12 and later know), "compute_80" for PTX.
func CompileArchitecture(s Source, architecture string) (image []byte, log string, err error) {
	n, err := openCompiler(0)
	if err != nil {
		return nil, "", err
	}
	if architecture == "sm_90" {
		if n.version < 12000 {
			return nil, "", fmt.Errorf("NVRTC %s knows no wgmma; 12.0 or later is wanted for sm_90",
				versionText(n.version))
		}
		architecture = "sm_90a"
	}
	return n.compile(s, architecture, strings.HasPrefix(architecture, "compute_"))
}

// compile returns machine code (an ELF file), or PTX with its terminating 0, and the compiler's
// log.
func (n *nvrtc) compile(s Source, arch string, ptx bool) (image []byte, log string, err error) {
	headers := slices.Sorted(maps.Keys(s.Headers))
	var headerTexts []string
	for _, h := range headers {
		headerTexts = append(headerTexts, s.Headers[h])
	}
	source, name := cstring(s.Text), cstring(s.Name)
	names, texts, options := newCstrings(headers), newCstrings(headerTexts),
		newCstrings(s.options(arch))
	defer runtime.KeepAlive([]any{source, name, names, texts, options})
	var program uintptr
	if r := call(n.nvrtcCreateProgram, uintptr(unsafe.Pointer(&program)),
		uintptr(unsafe.Pointer(&source[0])), uintptr(unsafe.Pointer(&name[0])),
		uintptr(len(headers)), uintptr(texts.first()), uintptr(names.first())); r != 0 {
		return nil, "", n.failure("nvrtcCreateProgram", r)
	}
	defer func() { call(n.nvrtcDestroyProgram, uintptr(unsafe.Pointer(&program))) }()
	result := call(n.nvrtcCompileProgram, program, uintptr(len(options.pointers)),
		uintptr(options.first()))
	said, err := n.output(program, "nvrtcGetProgramLog",
		n.nvrtcGetProgramLogSize, n.nvrtcGetProgramLog)
	log = strings.TrimSpace(strings.TrimRight(string(said), "\x00"))
	switch {
	case result != 0 && (err != nil || log == ""):
		return nil, log, n.failure("nvrtcCompileProgram", result)
	case result != 0:
		return nil, log, &CompileError{Name: s.Name, Log: log}
	case ptx:
		image, err = n.output(program, "nvrtcGetPTX", n.nvrtcGetPTXSize, n.nvrtcGetPTX)
	default:
		image, err = n.output(program, "nvrtcGetCUBIN", n.nvrtcGetCUBINSize, n.nvrtcGetCUBIN)
	}
	return image, log, err
}

// output reads a program's output: its size, then the bytes.
func (n *nvrtc) output(program uintptr, name string, size, get uintptr) ([]byte, error) {
	var bytes uint64
	if r := call(size, program, uintptr(unsafe.Pointer(&bytes))); r != 0 {
		return nil, n.failure(name, r)
	}
	if bytes == 0 {
		return nil, nil
	}
	b := make([]byte, bytes)
	if r := call(get, program, uintptr(unsafe.Pointer(&b[0]))); r != 0 {
		return nil, n.failure(name, r)
	}
	return b, nil
}
