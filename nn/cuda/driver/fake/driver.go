package fake

import (
	"fmt"
	"slices"
	"sync"

	"tengen/nn/cuda/driver"
)

// Driver is an API whose calls can be made to fail. It is safe for concurrent use.
type Driver struct {
	inner driver.API
	waits *waits // nil: not modelled; see Hang

	mu    sync.Mutex
	calls map[string]int
	fails []failure
	left  map[string]int // objects not freed, such as "memory 0x1000", and their bytes
	lost  error
	last  error // the last loss
	epoch int   // counts Restore
	log   []string
}

type failure struct {
	call string
	nth  int
	err  error
}

// New returns a driver that wraps another one; nil stands for one that computes nothing.
func New(inner driver.API) *Driver {
	if inner == nil {
		inner = hollow{}
	}
	return &Driver{inner: inner, calls: map[string]int{}, left: map[string]int{}}
}

// WithDevices returns a driver of n devices that compute nothing.
func WithDevices(n int) *Driver { return New(hollow{devices: n}) }

// Fail makes the nth use of a call from now on (1 is the next) return an error instead of calling
// the inner driver. After a *driver.LostError every later call returns it too, except Close,
// which frees everything and then returns it.
func (d *Driver) Fail(call string, nth int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = append(d.fails, failure{call, d.calls[call] + nth, err})
}

// Restore brings a lost device back: contexts that are opened from now on work, older ones stay
// lost.
func (d *Driver) Restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		d.lost = nil
		d.epoch++
	}
}

// Calls returns how often a call was used, failures included.
func (d *Driver) Calls(call string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[call]
}

// Names returns the names of all calls that were used, sorted.
func (d *Driver) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for n := range d.calls {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Log returns the calls in order.
func (d *Driver) Log() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

// Left lists objects that were neither freed nor closed with their context.
func (d *Driver) Left() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []string
	for what := range d.left {
		all = append(all, what)
	}
	slices.Sort(all)
	return all
}

// Bytes returns the device memory in use.
func (d *Driver) Bytes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := 0
	for _, n := range d.left {
		sum += n
	}
	return sum
}

// used counts a call and returns its failure, if one is due.
func (d *Driver) used(call string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[call]++
	d.log = append(d.log, call)
	if d.lost != nil {
		return d.lost
	}
	for i, f := range d.fails {
		if f.call == call && f.nth == d.calls[call] {
			d.fails = slices.Delete(d.fails, i, i+1)
			if _, ok := f.err.(*driver.LostError); ok {
				d.lost, d.last = f.err, f.err
			}
			return f.err
		}
	}
	return nil
}

// made records a new object; bytes is 0 unless it is device memory.
func (d *Driver) made(context *int, what string, handle uint64, bytes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left[name(context, what, handle)] = bytes
}

func (d *Driver) freed(context *int, what string, handle uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.left, name(context, what, handle))
}

func name(context *int, what string, handle uint64) string {
	return fmt.Sprintf("context %d: %s %#x", *context, what, handle)
}

// Version returns the inner driver's version.
func (d *Driver) Version() int { return d.inner.Version() }

// Devices lists the inner driver's devices.
func (d *Driver) Devices() ([]driver.Device, error) {
	if err := d.used("Devices"); err != nil {
		return nil, err
	}
	return d.inner.Devices()
}

// Open opens a device of the inner driver.
func (d *Driver) Open(ordinal int) (driver.Context, error) {
	return d.open("Open", ordinal, d.inner.Open)
}

// OpenSeparate opens a device of the inner driver.
func (d *Driver) OpenSeparate(ordinal int) (driver.Context, error) {
	return d.open("OpenSeparate", ordinal, d.inner.OpenSeparate)
}

func (d *Driver) open(
	call string, ordinal int, open func(int) (driver.Context, error),
) (driver.Context, error) {
	if err := d.used(call); err != nil {
		return nil, err
	}
	c, err := open(ordinal)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	number, epoch := d.calls["Open"]+d.calls["OpenSeparate"], d.epoch
	d.mu.Unlock()
	d.made(&number, "open", 0, 0)
	return &context{d: d, inner: c, number: &number, epoch: epoch}, nil
}
