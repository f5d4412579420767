//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"os"

	"github.com/ebitengine/purego"

	"tengen/nn/cuda/driver"
)

// module is an opened image.
type module struct {
	handle uintptr
	debug  *debugInfo
}

// function is a kernel of a module.
type function struct {
	name       string
	module     *module
	address    uintptr
	base       uintptr // load address of its library
	parameters []driver.ArgKind
	fixed      int // static shared memory, bytes
	bounds     int // KERNEL_BOUNDS' threads, or 0
	shared     int // maximum dynamic shared memory of a launch
	memory     *allocation
}

func (m *module) close() { purego.Dlclose(m.handle) }

func (c *context) Load(image []byte) (driver.Module, error) {
	leave, err := c.enter("cuModuleLoadData")
	if err != nil {
		return 0, err
	}
	defer leave()
	debug, err := readDebugInfo(image)
	if err != nil {
		return 0, &driver.CallError{
			Call: "cuModuleLoadData", Code: codeInvalidImage,
			Reason: "device kernel image is invalid: " + err.Error(),
		}
	}
	f, err := os.CreateTemp("", "tengen-emulate-*.so")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(image)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return 0, err
	}
	handle, err := purego.Dlopen(f.Name(), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return 0, &driver.CallError{
			Call: "cuModuleLoadData", Code: codeInvalidImage,
			Reason: "device kernel image is invalid: " + err.Error(),
		}
	}
	m := driver.Module(c.handle())
	c.modules[m] = &module{handle: handle, debug: debug}
	return m, nil
}

func (c *context) Unload(h driver.Module) error {
	leave, err := c.enter("cuModuleUnload")
	if err != nil {
		return err
	}
	defer leave()
	m := c.modules[h]
	if m == nil {
		return &driver.CallError{
			Call: "cuModuleUnload", Code: codeInvalidHandle, Reason: "no such module",
		}
	}
	if err := c.drain(); err != nil {
		return err
	}
	for k, f := range c.functions {
		if f.module == m {
			f.close()
			delete(c.functions, k)
		}
	}
	delete(c.modules, h)
	m.close()
	return nil
}

func (c *context) Function(h driver.Module, name string) (driver.Function, error) {
	leave, err := c.enter("cuModuleGetFunction")
	if err != nil {
		return 0, err
	}
	defer leave()
	m := c.modules[h]
	if m == nil {
		return 0, &driver.CallError{
			Call: "cuModuleGetFunction", Code: codeInvalidHandle, Reason: "no such module",
		}
	}
	for k, f := range c.functions {
		if f.module == m && f.name == name {
			return k, nil
		}
	}
	address, err := purego.Dlsym(m.handle, name)
	if err != nil {
		return 0, &driver.CallError{
			Call: "cuModuleGetFunction", Code: codeNotFound,
			Reason: fmt.Sprintf("named symbol not found: %q", name),
		}
	}
	f := &function{name: name, module: m, address: address, shared: 48 << 10}
	f.base, _, _ = purego.SyscallN(c.base, address)
	if f.parameters, f.fixed, err = m.debug.kernel(name); err != nil {
		return 0, fmt.Errorf("emulate: %w", err)
	}
	if p, err := purego.Dlsym(m.handle, "host_bounds_"+name); err == nil {
		f.bounds = int(*(*int32)(pointer(p)))
	}
	k := driver.Function(c.handle())
	c.functions[k] = f
	return k, nil
}

func (f *function) close() {
	if f.memory != nil {
		f.memory.free()
		f.memory = nil
	}
}

// functionOf returns a kernel by its handle.
func (c *context) functionOf(call string, h driver.Function) (*function, error) {
	f := c.functions[h]
	if f == nil {
		return nil, &driver.CallError{
			Call: call, Code: codeInvalidHandle, Reason: "no such function",
		}
	}
	return f, nil
}

func (c *context) FunctionInfo(h driver.Function) (driver.FunctionInfo, error) {
	leave, err := c.enter("cuFuncGetAttribute")
	if err != nil {
		return driver.FunctionInfo{}, err
	}
	defer leave()
	f, err := c.functionOf("cuFuncGetAttribute", h)
	if err != nil {
		return driver.FunctionInfo{}, err
	}
	info := driver.FunctionInfo{Shared: f.fixed, MaxThreads: maxThreads}
	if f.bounds > 0 {
		info.MaxThreads = f.bounds
	}
	return info, nil
}

func (c *context) AllowShared(h driver.Function, bytes int) error {
	leave, err := c.enter("cuFuncSetAttribute")
	if err != nil {
		return err
	}
	defer leave()
	f, err := c.functionOf("cuFuncSetAttribute", h)
	if err != nil {
		return err
	}
	if limit := c.device.SharedBlock - f.fixed; bytes < 0 || bytes > limit {
		return invalid("cuFuncSetAttribute",
			fmt.Sprintf("%d bytes of dynamic shared memory for %s; the device permits %d",
				bytes, f.name, limit))
	}
	f.shared = bytes
	return nil
}

// reserved is the shared memory that the driver reserves for each block on an SM.
const reserved = 1 << 10

func (c *context) Occupancy(h driver.Function, threads, shared int) (int, error) {
	leave, err := c.enter("cuOccupancyMaxActiveBlocksPerMultiprocessor")
	if err != nil {
		return 0, err
	}
	defer leave()
	f, err := c.functionOf("cuOccupancyMaxActiveBlocksPerMultiprocessor", h)
	if err != nil {
		return 0, err
	}
	if threads < 1 || threads > maxThreads || shared < 0 {
		return 0, invalid("cuOccupancyMaxActiveBlocksPerMultiprocessor",
			"threads or shared memory out of range")
	}
	blocks := c.device.ThreadsSM / ((threads + 31) / 32 * 32)
	if need := shared + f.fixed; need > c.device.SharedBlock {
		blocks = 0
	} else {
		blocks = min(blocks, c.device.SharedSM/(need+reserved))
	}
	return blocks, nil
}
