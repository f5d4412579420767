package fake

import (
	"strings"
	"time"
	"unsafe"

	"tengen/nn/cuda/driver"
)

// context forwards calls to another context.
type context struct {
	d      *Driver
	inner  driver.Context
	number *int
	closed bool
	epoch  int // of the driver, when the context was opened
	lost   error
}

// use counts a call and returns its failure, if one is due. A context that was open when the device
// was lost stays lost.
func (c *context) use(call string) error {
	err := c.d.used(call)
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if _, ok := err.(*driver.LostError); ok && c.lost == nil {
		c.lost = err
	}
	if c.lost == nil && c.epoch != c.d.epoch {
		c.lost = c.d.last
	}
	if err == nil {
		err = c.lost
	}
	return err
}

// made counts a call that creates an object of the kind what.
func made[H ~uintptr | ~uint64](
	c *context, call, what string, bytes int, f func() (H, error),
) (H, error) {
	if err := c.use(call); err != nil {
		return 0, err
	}
	h, err := f()
	if err == nil {
		c.d.made(c.number, what, uint64(h), bytes)
	}
	return h, err
}

// freed counts a call that frees an object.
func freed[H ~uintptr | ~uint64](c *context, call, what string, h H, f func(H) error) error {
	if err := c.use(call); err != nil {
		return err
	}
	err := f(h)
	if err == nil {
		c.d.freed(c.number, what, uint64(h))
	}
	return err
}

func (c *context) Device() driver.Device { return c.inner.Device() }

func (c *context) Memory() (free, total int64, err error) {
	if err := c.use("Memory"); err != nil {
		return 0, 0, err
	}
	return c.inner.Memory()
}

func (c *context) Synchronize(s driver.Stream) error {
	if err := c.use("Synchronize"); err != nil {
		return err
	}
	c.d.waits.stream(c, s)
	return c.inner.Synchronize(s)
}

func (c *context) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.use("Close")
	if err == nil {
		c.d.waits.stream(c, 0)
	}
	if e := c.inner.Close(); err == nil {
		err = e
	}
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	prefix := strings.TrimSuffix(name(c.number, "", 0), " 0x0")
	for what := range c.d.left {
		if strings.HasPrefix(what, prefix) {
			delete(c.d.left, what)
		}
	}
	return err
}

func (c *context) Alloc(n int) (driver.Ptr, error) {
	return made(c, "Alloc", "memory", n, func() (driver.Ptr, error) { return c.inner.Alloc(n) })
}

func (c *context) Free(p driver.Ptr) error {
	return freed(c, "Free", "memory", p, func(p driver.Ptr) error {
		c.d.waits.stream(c, 0)
		return c.inner.Free(p)
	})
}

func (c *context) AllocHost(n int) ([]byte, error) {
	if err := c.use("AllocHost"); err != nil {
		return nil, err
	}
	b, err := c.inner.AllocHost(n)
	if err == nil {
		c.d.made(c.number, "pinned", uint64(uintptr(unsafe.Pointer(&b[0]))), 0)
	}
	return b, err
}

func (c *context) FreeHost(b []byte) error {
	if err := c.use("FreeHost"); err != nil {
		return err
	}
	c.d.waits.stream(c, 0)
	err := c.inner.FreeHost(b)
	if err == nil && len(b) > 0 {
		c.d.freed(c.number, "pinned", uint64(uintptr(unsafe.Pointer(&b[0]))))
	}
	return err
}

func (c *context) NewStream(urgent bool) (driver.Stream, error) {
	return made(c, "NewStream", "stream", 0, func() (driver.Stream, error) {
		return c.inner.NewStream(urgent)
	})
}

func (c *context) CloseStream(s driver.Stream) error {
	return freed(c, "CloseStream", "stream", s, c.inner.CloseStream)
}

func (c *context) NewEvent(timed bool) (driver.Event, error) {
	return made(c, "NewEvent", "event", 0, func() (driver.Event, error) {
		return c.inner.NewEvent(timed)
	})
}

func (c *context) CloseEvent(e driver.Event) error {
	return freed(c, "CloseEvent", "event", e, c.inner.CloseEvent)
}

func (c *context) Record(e driver.Event, s driver.Stream) error {
	if err := c.use("Record"); err != nil {
		return err
	}
	c.d.waits.record(c, e, s)
	return c.inner.Record(e, s)
}

func (c *context) WaitEvent(s driver.Stream, e driver.Event) error {
	if err := c.use("WaitEvent"); err != nil {
		return err
	}
	c.d.waits.wait(c, s, e)
	return c.inner.WaitEvent(s, e)
}

func (c *context) SynchronizeEvent(e driver.Event) error {
	if err := c.use("SynchronizeEvent"); err != nil {
		return err
	}
	c.d.waits.event(e)
	return c.inner.SynchronizeEvent(e)
}

func (c *context) Done(e driver.Event) (bool, error) {
	if err := c.use("Done"); err != nil {
		return false, err
	}
	done, err := c.inner.Done(e)
	if done && err == nil {
		done = c.d.waits.done(e)
	}
	return done, err
}

func (c *context) Elapsed(from, to driver.Event) (time.Duration, error) {
	if err := c.use("Elapsed"); err != nil {
		return 0, err
	}
	return c.inner.Elapsed(from, to)
}

func (c *context) CopyIn(dst driver.Ptr, src []byte, s driver.Stream) error {
	if err := c.use("CopyIn"); err != nil {
		return err
	}
	return c.inner.CopyIn(dst, src, s)
}

func (c *context) CopyOut(dst []byte, src driver.Ptr, s driver.Stream) error {
	if err := c.use("CopyOut"); err != nil {
		return err
	}
	return c.inner.CopyOut(dst, src, s)
}

func (c *context) Copy(dst, src driver.Ptr, n int, s driver.Stream) error {
	if err := c.use("Copy"); err != nil {
		return err
	}
	return c.inner.Copy(dst, src, n, s)
}

func (c *context) Fill(dst driver.Ptr, v byte, n int, s driver.Stream) error {
	if err := c.use("Fill"); err != nil {
		return err
	}
	return c.inner.Fill(dst, v, n, s)
}

func (c *context) Launch(
	f driver.Function, g driver.Grid, s driver.Stream, args *driver.Args,
) error {
	if err := c.use("Launch"); err != nil {
		return err
	}
	return c.inner.Launch(f, g, s, args)
}

// Capture forwards to a context that has graphs.
func (c *context) Capture(s driver.Stream, enqueue func() error) (driver.Graph, error) {
	return made(c, "Capture", "graph", 0, func() (driver.Graph, error) {
		g, ok := c.inner.(driver.Grapher)
		if !ok {
			return 0, &driver.LibraryError{Library: "the driver", Missing: "graphs"}
		}
		return g.Capture(s, enqueue)
	})
}

func (c *context) LaunchGraph(g driver.Graph, s driver.Stream) error {
	if err := c.use("LaunchGraph"); err != nil {
		return err
	}
	return c.inner.(driver.Grapher).LaunchGraph(g, s)
}

func (c *context) CloseGraph(g driver.Graph) error {
	return freed(c, "CloseGraph", "graph", g, c.inner.(driver.Grapher).CloseGraph)
}

// Handle implements driver.Neighbour.
func (c *context) Handle() uintptr {
	if n, ok := c.inner.(driver.Neighbour); ok {
		return n.Handle()
	}
	return 0
}

// Reach forwards to a context that can read the memory of others.
func (c *context) Reach(other uintptr) error {
	if err := c.use("Reach"); err != nil {
		return err
	}
	if n, ok := c.inner.(driver.Neighbour); ok {
		return n.Reach(other)
	}
	return &driver.LibraryError{Library: "the driver", Missing: "access to other devices"}
}

func (c *context) Compile(s driver.Source) (image []byte, remarks string, err error) {
	if err := c.use("Compile"); err != nil {
		return nil, "", err
	}
	return c.inner.Compile(s)
}

func (c *context) Compiler() (string, error) {
	if err := c.use("Compiler"); err != nil {
		return "", err
	}
	return c.inner.Compiler()
}

func (c *context) Load(image []byte) (driver.Module, error) {
	return made(c, "Load", "module", 0, func() (driver.Module, error) {
		c.d.waits.stream(c, 0)
		return c.inner.Load(image)
	})
}

func (c *context) Unload(m driver.Module) error {
	return freed(c, "Unload", "module", m, c.inner.Unload)
}

func (c *context) Function(m driver.Module, name string) (driver.Function, error) {
	if err := c.use("Function"); err != nil {
		return 0, err
	}
	return c.inner.Function(m, name)
}

func (c *context) FunctionInfo(f driver.Function) (driver.FunctionInfo, error) {
	if err := c.use("FunctionInfo"); err != nil {
		return driver.FunctionInfo{}, err
	}
	return c.inner.FunctionInfo(f)
}

func (c *context) AllowShared(f driver.Function, n int) error {
	if err := c.use("AllowShared"); err != nil {
		return err
	}
	return c.inner.AllowShared(f, n)
}

func (c *context) Occupancy(f driver.Function, threads, shared int) (int, error) {
	if err := c.use("Occupancy"); err != nil {
		return 0, err
	}
	return c.inner.Occupancy(f, threads, shared)
}
