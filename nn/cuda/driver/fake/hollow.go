package fake

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tengen/nn/cuda/driver"
)

// hollow is a driver with devices whose memory is host memory and whose kernels do nothing.
// All work is done at once.
type hollow struct {
	devices int // 0: one
}

func (hollow) Version() int { return 12080 }

func (h hollow) Devices() ([]driver.Device, error) {
	list := []driver.Device{hollowDevice}
	for i := 1; i < h.devices; i++ {
		list = append(list, hollowDevice)
		list[i].Ordinal = i
	}
	return list, nil
}

func (h hollow) Open(ordinal int) (driver.Context, error) {
	if ordinal < 0 || ordinal >= max(1, h.devices) {
		return nil, &driver.CallError{
			Call: "cuDeviceGet", Code: 101, Reason: "invalid device ordinal",
		}
	}
	number := uintptr(contexts.Add(1))
	c := &hollowContext{
		number: number, ordinal: ordinal, memory: map[driver.Ptr][]byte{},
		next:   driver.Ptr(number) << 36,
		graphs: map[driver.Graph][]transfer{}, captured: map[driver.Stream][]transfer{},
	}
	reachable.Store(number, c)
	return c, nil
}

// contexts counts contexts, whose addresses are apart; reachable are those that are open.
var (
	contexts  atomic.Uint32
	reachable sync.Map
)

// OpenSeparate is Open: contexts share nothing.
func (h hollow) OpenSeparate(ordinal int) (driver.Context, error) { return h.Open(ordinal) }

var hollowDevice = driver.Device{
	Name: "fake", Major: 9, SMs: 132, Memory: 1 << 30, SharedBlock: 227 << 10, SharedSM: 228 << 10,
	Registers: 65536, ThreadsSM: 2048, L2: 50 << 20, ClockKHz: 1980000, Emulated: true,
}

type hollowContext struct {
	mu      sync.Mutex
	number  uintptr
	ordinal int
	others  []*hollowContext // whose memory copies can read
	memory  map[driver.Ptr][]byte
	used    int64
	next    driver.Ptr
	graphs  map[driver.Graph][]transfer
	// captured holds the calls of the capture under way, by stream.
	captured map[driver.Stream][]transfer
}

// transfer is a copy between memories, or a fill.
type transfer struct {
	in, out  []byte // of the host: copied to dst, filled from src
	dst, src driver.Ptr
	n        int  // bytes of a copy in the device, or of a fill
	v        byte // of a fill, which has no src
}

// do makes a transfer. It allocates nothing.
func (c *hollowContext) do(t transfer) error {
	switch {
	case t.in != nil:
		b, err := c.at(t.dst, len(t.in))
		copy(b, t.in)
		return err
	case t.out != nil:
		b, err := c.at(t.src, len(t.out))
		copy(t.out, b)
		return err
	}
	to, err := c.at(t.dst, t.n)
	if err != nil {
		return err
	}
	if t.src == 0 {
		for i := range to {
			to[i] = t.v
		}
		return nil
	}
	from, err := c.at(t.src, t.n)
	for _, o := range c.others {
		if err != nil {
			o.mu.Lock()
			from, err = o.at(t.src, t.n)
			o.mu.Unlock()
		}
	}
	copy(to, from)
	return err
}

var _ driver.Neighbour = (*hollowContext)(nil)

// Handle implements driver.Neighbour.
func (c *hollowContext) Handle() uintptr { return c.number }

// Reach implements driver.Neighbour.
func (c *hollowContext) Reach(other uintptr) error {
	o, ok := reachable.Load(other)
	if !ok || other == c.number {
		return &driver.CallError{
			Call: "cuCtxEnablePeerAccess", Code: 1, Reason: "invalid argument",
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.others = append(c.others, o.(*hollowContext))
	return nil
}

// enqueue makes a transfer, or adds it to the capture of its stream.
func (c *hollowContext) enqueue(s driver.Stream, t transfer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if transfers, ok := c.captured[s]; ok {
		c.captured[s] = append(transfers, t)
		return nil
	}
	return c.do(t)
}

// Capture implements driver.Grapher.
func (c *hollowContext) Capture(s driver.Stream, enqueue func() error) (driver.Graph, error) {
	c.mu.Lock()
	c.captured[s] = nil
	c.mu.Unlock()
	err := enqueue()
	g := driver.Graph(c.new())
	c.mu.Lock()
	defer c.mu.Unlock()
	calls := c.captured[s]
	delete(c.captured, s)
	if err != nil {
		return 0, err
	}
	c.graphs[g] = calls
	return g, nil
}

// LaunchGraph implements driver.Grapher.
func (c *hollowContext) LaunchGraph(g driver.Graph, _ driver.Stream) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.graphs[g] {
		if err := c.do(t); err != nil {
			return err
		}
	}
	return nil
}

// CloseGraph implements driver.Grapher.
func (c *hollowContext) CloseGraph(g driver.Graph) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.graphs, g)
	return nil
}

// handles counts handles: those of events are known to other contexts too.
var handles atomic.Uintptr

func (*hollowContext) new() uintptr { return handles.Add(1) }

// at returns a range of memory.
func (c *hollowContext) at(p driver.Ptr, n int) ([]byte, error) {
	for start, b := range c.memory {
		if p >= start && p+driver.Ptr(n) <= start+driver.Ptr(len(b)) {
			return b[p-start : int(p-start)+n], nil
		}
	}
	return nil, &driver.CallError{
		Call: "a copy", Code: 1,
		Reason: fmt.Sprintf("invalid argument: %d bytes at %#x are not in an allocation", n, p),
	}
}

func (c *hollowContext) Device() driver.Device {
	d := hollowDevice
	d.Ordinal = c.ordinal
	return d
}

func (c *hollowContext) Memory() (free, total int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return hollowDevice.Memory - c.used, hollowDevice.Memory, nil
}

func (c *hollowContext) Synchronize(driver.Stream) error { return nil }

func (c *hollowContext) Close() error {
	reachable.Delete(c.number)
	return nil
}

func (c *hollowContext) Alloc(n int) (driver.Ptr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if int64(n) > hollowDevice.Memory-c.used {
		return 0, &driver.MemoryError{Wanted: int64(n), Free: hollowDevice.Memory - c.used}
	}
	p := c.next
	c.next += driver.Ptr(n+511) / 256 * 256
	c.memory[p] = make([]byte, n)
	c.used += int64(n)
	return p, nil
}

func (c *hollowContext) Free(p driver.Ptr) error {
	if p == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.memory[p]
	if !ok {
		return &driver.CallError{Call: "cuMemFree", Code: 1, Reason: "invalid argument"}
	}
	c.used -= int64(len(b))
	delete(c.memory, p)
	return nil
}

func (c *hollowContext) AllocHost(n int) ([]byte, error) { return make([]byte, n), nil }
func (c *hollowContext) FreeHost([]byte) error           { return nil }

func (c *hollowContext) NewStream(bool) (driver.Stream, error) {
	return driver.Stream(c.new()), nil
}
func (c *hollowContext) CloseStream(driver.Stream) error { return nil }
func (c *hollowContext) NewEvent(bool) (driver.Event, error) {
	return driver.Event(c.new()), nil
}
func (c *hollowContext) CloseEvent(driver.Event) error               { return nil }
func (c *hollowContext) Record(driver.Event, driver.Stream) error    { return nil }
func (c *hollowContext) WaitEvent(driver.Stream, driver.Event) error { return nil }
func (c *hollowContext) SynchronizeEvent(driver.Event) error         { return nil }
func (c *hollowContext) Done(driver.Event) (bool, error)             { return true, nil }

func (c *hollowContext) Elapsed(_, _ driver.Event) (time.Duration, error) {
	return time.Millisecond, nil
}

func (c *hollowContext) CopyIn(dst driver.Ptr, src []byte, s driver.Stream) error {
	return c.enqueue(s, transfer{dst: dst, in: src})
}

func (c *hollowContext) CopyOut(dst []byte, src driver.Ptr, s driver.Stream) error {
	return c.enqueue(s, transfer{src: src, out: dst})
}

func (c *hollowContext) Copy(dst, src driver.Ptr, n int, s driver.Stream) error {
	return c.enqueue(s, transfer{dst: dst, src: src, n: n})
}

func (c *hollowContext) Fill(dst driver.Ptr, v byte, n int, s driver.Stream) error {
	return c.enqueue(s, transfer{dst: dst, n: n, v: v})
}

func (c *hollowContext) Launch(driver.Function, driver.Grid, driver.Stream, *driver.Args) error {
	return nil
}

func (c *hollowContext) Compile(s driver.Source) (image []byte, remarks string, err error) {
	return []byte(s.Key()), "", nil
}
func (c *hollowContext) Compiler() (string, error)          { return "fake", nil }
func (c *hollowContext) Load([]byte) (driver.Module, error) { return driver.Module(c.new()), nil }
func (c *hollowContext) Unload(driver.Module) error         { return nil }

func (c *hollowContext) Function(driver.Module, string) (driver.Function, error) {
	return driver.Function(c.new()), nil
}

func (c *hollowContext) FunctionInfo(driver.Function) (driver.FunctionInfo, error) {
	return driver.FunctionInfo{Registers: 128, MaxThreads: 512}, nil
}

func (c *hollowContext) AllowShared(_ driver.Function, bytes int) error {
	if bytes > hollowDevice.SharedBlock {
		return &driver.CallError{Call: "cuFuncSetAttribute", Code: 1, Reason: "invalid argument"}
	}
	return nil
}

func (c *hollowContext) Occupancy(_ driver.Function, threads, shared int) (int, error) {
	return min(hollowDevice.ThreadsSM/max(threads, 1), hollowDevice.SharedSM/(shared+1024)), nil
}
