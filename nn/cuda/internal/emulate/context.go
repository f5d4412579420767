//go:build linux && (amd64 || arm64)

package emulate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"unsafe"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
)

// Results of the driver's calls, numbered as in cuda.h.
const (
	codeInvalidValue    = 1
	codeInvalidImage    = 200
	codeInvalidHandle   = 400
	codeNotFound        = 500
	codeIllegalAddress  = 700
	codeOutOfResources  = 701
	codeContextDestroyd = 709
	codeCapturing       = 900
	codeMisaligned      = 716
	codeLaunchFailed    = 719
)

func invalid(call, what string) error {
	return &driver.CallError{
		Call: call, Code: codeInvalidValue, Reason: "invalid argument: " + what,
	}
}

// world is what contexts share: work in one may wait for an event of another, and copy its memory.
// Its lock is that of all contexts. The runtime's state is global too, so that one launch runs at a
// time.
var world = struct {
	sync.Mutex
	contexts map[uintptr]*context
	events   map[driver.Event]*event
	last     uintptr // the last handle returned
}{contexts: map[uintptr]*context{}, events: map[driver.Event]*event{}}

// context implements driver.Context.
type context struct {
	*runtime
	o      Options
	device driver.Device
	number uintptr // its handle

	memory    memory
	pinned    map[uintptr][]byte
	modules   map[driver.Module]*module
	functions map[driver.Function]*function
	queues    map[driver.Stream]*queue
	graphs    map[driver.Graph][]work
	reached   []*context // whose memory copies can read
	linked    []*context // one of which waits for an event of the other
	lost      error      // a kernel's failure: every later call returns it
	closed    bool
	rng       *rand.Rand
	launches  uint64
}

func newContext(r *runtime, o Options, d driver.Device) *context {
	c := &context{
		runtime: r, o: o, device: d,
		memory:    memory{limit: d.Memory},
		pinned:    map[uintptr][]byte{},
		modules:   map[driver.Module]*module{},
		functions: map[driver.Function]*function{},
		queues:    map[driver.Stream]*queue{0: {}},
		graphs:    map[driver.Graph][]work{},
		rng:       random.New(o.Seed, random.Test, 0),
	}
	world.Lock()
	defer world.Unlock()
	c.number = c.handle()
	world.contexts[c.number] = c
	return c
}

var _ driver.Neighbour = (*context)(nil)

// Handle implements driver.Neighbour.
func (c *context) Handle() uintptr { return c.number }

// Reach implements driver.Neighbour.
func (c *context) Reach(other uintptr) error {
	leave, err := c.enter("cuCtxEnablePeerAccess")
	if err != nil {
		return err
	}
	defer leave()
	o := world.contexts[other]
	if o == nil || o == c {
		return invalid("cuCtxEnablePeerAccess", "not another context")
	}
	if !slices.Contains(c.reached, o) {
		c.reached = append(c.reached, o)
	}
	return nil
}

func (c *context) Device() driver.Device { return c.device }

// enter locks the context. It returns an error if the context can't be used.
func (c *context) enter(call string) (func(), error) {
	world.Lock()
	switch {
	case c.closed:
		world.Unlock()
		return nil, &driver.CallError{
			Call: call, Code: codeContextDestroyd, Reason: "the context is closed",
		}
	case c.lost != nil:
		defer world.Unlock()
		return nil, c.lost
	}
	return world.Unlock, nil
}

func (*context) handle() uintptr {
	world.last++
	return world.last
}

func (c *context) Memory() (free, total int64, err error) {
	leave, err := c.enter("cuMemGetInfo")
	if err != nil {
		return 0, 0, err
	}
	defer leave()
	return c.memory.limit - c.memory.used, c.memory.limit, nil
}

func (c *context) Alloc(n int) (driver.Ptr, error) {
	leave, err := c.enter("cuMemAlloc")
	if err != nil {
		return 0, err
	}
	defer leave()
	return c.memory.alloc(n)
}

func (c *context) Free(p driver.Ptr) error {
	if p == 0 {
		return nil
	}
	leave, err := c.enter("cuMemFree")
	if err != nil {
		return err
	}
	defer leave()
	if err := c.drain(); err != nil {
		return err
	}
	return c.memory.free(p)
}

func (c *context) AllocHost(n int) ([]byte, error) {
	leave, err := c.enter("cuMemHostAlloc")
	if err != nil {
		return nil, err
	}
	defer leave()
	if n < 1 {
		return nil, invalid("cuMemHostAlloc", "the size is below 1")
	}
	words := make([]uint64, (n+7)/8)
	b := driver.Bytes(words)[:n:n]
	fill(b, untouched)
	c.pinned[uintptr(unsafe.Pointer(&b[0]))] = b
	return b, nil
}

func (c *context) FreeHost(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	leave, err := c.enter("cuMemFreeHost")
	if err != nil {
		return err
	}
	defer leave()
	p := uintptr(unsafe.Pointer(&b[0]))
	if c.pinned[p] == nil {
		return invalid("cuMemFreeHost", "the memory is not from AllocHost")
	}
	if err := c.drain(); err != nil {
		return err
	}
	fill(c.pinned[p], untouched)
	delete(c.pinned, p)
	return nil
}

func (c *context) Close() error {
	world.Lock()
	defer world.Unlock()
	if c.closed {
		return nil
	}
	err := c.lost
	if err == nil {
		err = c.drain()
	}
	for _, a := range c.memory.all {
		a.free()
	}
	c.memory.all = nil
	for _, m := range c.modules {
		m.close()
	}
	delete(world.contexts, c.number)
	maps.DeleteFunc(world.events, func(_ driver.Event, v *event) bool { return v.of == c })
	c.closed = true
	if err != nil {
		return fmt.Errorf("close %s: %w", c.device.Name, err)
	}
	return nil
}
