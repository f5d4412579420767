//go:build linux && (amd64 || arm64)

package emulate

import (
	"bytes"
	"fmt"
	goruntime "runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"tengen/nn/cuda/driver"
)

const maxThreads = 1024

// Numbers of registers in which the calling conventions pass integers; both have 8 for floats.
var integerRegisters = map[string]int{"amd64": 6, "arm64": 8}[goruntime.GOARCH]

// launch mirrors struct launch of host/runtime.h.
type launch struct {
	kernel                   uintptr
	integers, floats         [8]uint64
	stack                    [driver.MaxArgs]uint64
	grid, block              [3]uint32
	shared                   uintptr
	sharedBytes, sharedSlack uint64
	fixed                    uintptr
	fixedBytes, seed         uint64
	status                   int32
	threadIndex, blockIndex  [3]uint32
	code, address            uintptr
	message                  [256]byte
}

// Values of launch.status.
const (
	doneWell = iota
	misused
	fault
	trap
)

// pointer converts an address of C's memory.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func (c *context) Launch(
	h driver.Function, g driver.Grid, s driver.Stream, args *driver.Args,
) error {
	leave, err := c.enter("cuLaunchKernel")
	if err != nil {
		return err
	}
	defer leave()
	q, err := c.queueOf("cuLaunchKernel", s)
	if err != nil {
		return err
	}
	f, err := c.functionOf("cuLaunchKernel", h)
	if err != nil {
		return err
	}
	if err := c.permitted(f, g, args); err != nil {
		return err
	}
	c.launches++
	l := f.prepare(g, args)
	if c.o.Seed != 0 {
		l.seed = c.o.Seed*0x9e3779b97f4a7c15 + c.launches | 1
	}
	if !c.later(q) {
		return c.run(f, l)
	}
	return c.give(q, work{do: func() error {
		again := *l // a graph is launched more than once
		return c.run(f, &again)
	}})
}

// permitted checks a launch against the kernel and the device.
func (c *context) permitted(f *function, g driver.Grid, args *driver.Args) error {
	threads := g.Threads[0] * g.Threads[1] * g.Threads[2]
	for i, limit := range [3]int{1<<31 - 1, 65535, 65535} {
		if g.Blocks[i] < 1 || g.Blocks[i] > limit {
			return invalid("cuLaunchKernel", fmt.Sprintf("%s with %v blocks", f.name, g.Blocks))
		}
		if g.Threads[i] < 1 || g.Threads[i] > [3]int{1024, 1024, 64}[i] {
			return invalid("cuLaunchKernel",
				fmt.Sprintf("%s with blocks of %v threads", f.name, g.Threads))
		}
	}
	limit := maxThreads
	if f.bounds > 0 {
		limit = f.bounds
	}
	if threads > limit {
		return &driver.CallError{
			Call: "cuLaunchKernel", Code: codeOutOfResources,
			Reason: fmt.Sprintf("too many resources requested for launch: %s with blocks of %d threads, of which it permits %d", f.name, threads, limit),
		}
	}
	if g.Shared < 0 || g.Shared > f.shared || g.Shared+f.fixed > c.device.SharedBlock {
		return invalid("cuLaunchKernel",
			fmt.Sprintf("%s with %d bytes of dynamic shared memory; %d are allowed (AllowShared), the device has %d", f.name, g.Shared, f.shared, c.device.SharedBlock))
	}
	n := 0
	if args != nil {
		n = args.Len()
	}
	if n != len(f.parameters) {
		return invalid("cuLaunchKernel",
			fmt.Sprintf("%s takes %d arguments, not %d", f.name, len(f.parameters), n))
	}
	for i, want := range f.parameters {
		if k, _ := args.At(i); k != want {
			return invalid("cuLaunchKernel",
				fmt.Sprintf("argument %d of %s is a %s, but its parameter is a %s",
					i+1, f.name, k, want))
		}
	}
	return nil
}

// prepare stores the arguments as the calling convention requires.
func (f *function) prepare(g driver.Grid, args *driver.Args) *launch {
	l := &launch{kernel: f.address}
	integers, floats, stack := 0, 0, 0
	for i := range f.parameters {
		k, v := args.At(i)
		switch {
		case k == driver.ArgFloat32 && floats < len(l.floats):
			l.floats[floats] = v
			floats++
		case k != driver.ArgFloat32 && integers < integerRegisters:
			l.integers[integers] = v
			integers++
		default:
			l.stack[stack] = v
			stack++
		}
	}
	for i := range 3 {
		l.grid[i], l.block[i] = uint32(g.Blocks[i]), uint32(g.Threads[i])
	}
	l.sharedBytes = uint64(g.Shared)
	return l
}

// run runs a grid. A failure makes all later calls of the context fail.
func (c *context) run(f *function, l *launch) error {
	if f.memory == nil || len(f.memory.bytes) != int(l.sharedBytes) {
		f.close()
		if l.sharedBytes > 0 {
			m, err := allocate(int(l.sharedBytes), 1024)
			if err != nil {
				return fmt.Errorf("emulate: shared memory: %w", err)
			}
			f.memory = m
		}
	}
	if f.memory != nil {
		l.shared, l.sharedSlack = f.memory.address(), uint64(len(f.memory.slack))
	}
	d := f.module.debug
	if d.sharedBytes > 0 {
		l.fixed, l.fixedBytes = f.base+uintptr(d.shared), uint64(d.sharedBytes)
	}
	purego.SyscallN(c.launch, uintptr(unsafe.Pointer(l)))
	goruntime.KeepAlive(l)
	if l.status == doneWell {
		if what := c.memory.overrun(); what != "" {
			c.lost = c.failure(codeIllegalAddress, f.name+": "+what)
		}
		return nil
	}
	what, code := "", codeIllegalAddress
	switch l.status {
	case misused:
		text, _, _ := bytes.Cut(l.message[:], []byte{0})
		what, code = string(text), codeLaunchFailed
	case fault:
		what = fmt.Sprintf("access of %s", c.whereOf(l))
	case trap:
		what, code = "array index out of bounds, misaligned access, overflow or division by zero",
			codeMisaligned
	}
	if l.code != 0 {
		what += " in " + d.line(uint64(l.code-f.base))
	}
	c.lost = c.failure(code,
		fmt.Sprintf("%s, block %v, thread %v: %s", f.name, l.blockIndex, l.threadIndex, what))
	return nil
}

func (c *context) failure(code int, reason string) error {
	return &driver.LostError{Device: c.device.Name, Call: "a launch", Code: code, Reason: reason}
}

// whereOf describes the address of a fault.
func (c *context) whereOf(l *launch) string {
	if end := l.shared + uintptr(l.sharedBytes); l.shared != 0 && l.address >= l.shared &&
		l.address < end+1<<16 {
		return fmt.Sprintf("byte %d of the block's %d bytes of shared memory",
			l.address-l.shared, l.sharedBytes)
	}
	return c.memory.where(l.address)
}
