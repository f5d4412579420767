package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// Options of Open. The zero value is usable.
type Options struct {
	// Cache is a folder where compiled kernels are kept between runs; "" keeps none.
	Cache string
	// Ways are those that inference may take, nil for all. What does not compile, or does not
	// agree with the processor, is passed over; kernels.Layers is always the last resort.
	Ways []kernels.Way
	// Candidates is how many plans of the first way (one less of the others) are compiled and timed when a network of a new
	// shape comes, which takes some seconds each; what was found fastest is kept in Cache. 0 is three
	// on a device and one, which is not timed, in the emulation.
	Candidates int
	// Unchecked leaves out the comparison of a network's kernels with the
	// processor's results, which takes a moment for each shape of network.
	Unchecked bool
	// Log is told what is used and what was passed over; nil tells nobody.
	Log *slog.Logger
}

// Device is one opened device. Its methods may be called from any goroutine.
type Device struct {
	api     driver.API
	ordinal int
	info    driver.Device
	o       Options

	choosing sync.Mutex // one network is prepared at a time

	mu       sync.Mutex
	ctx      driver.Context
	reopened int // how often ctx was replaced
	closed   bool
	networks map[string]*network
}

// Open opens a device of a driver by its number.
func Open(api driver.API, ordinal int, o Options) (*Device, error) {
	devices, err := api.Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(devices) {
		return nil, fmt.Errorf("there is no CUDA device %d: this machine has %d", ordinal, len(devices))
	}
	if d := &devices[ordinal]; d.Capability() < 80 {
		return nil, fmt.Errorf("%s has compute capability %d.%d; at least 8.0 is wanted", d.Name, d.Major, d.Minor)
	}
	ctx, err := api.Open(ordinal)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", devices[ordinal].Name, err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Device{api: api, ordinal: ordinal, ctx: ctx, info: ctx.Device(), o: o, networks: map[string]*network{}}, nil
}

// Info describes the device.
func (d *Device) Info() driver.Device { return d.info }

// Context is the device's context, for measurements.
func (d *Device) Context() driver.Context {
	ctx, _ := d.current()
	return ctx
}

// Close frees everything on the device. Weights, evaluators and trainers are not used
// afterwards. A second call does nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return d.ctx.Close()
}

// current is the context and how often it was replaced.
func (d *Device) current() (ctx driver.Context, reopened int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ctx, d.reopened
}

// releaseOf calls f unless all of the context was freed already that was current after so many
// replacements.
func (d *Device) releaseOf(reopened int, f func(driver.Context)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed && d.reopened == reopened {
		f(d.ctx)
	}
}

// reopen replaces a context that was lost: all that was made in it is lost with it.
func (d *Device) reopen() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("the device was closed")
	}
	_ = d.ctx.Close() // its errors are those of the loss
	ctx, err := d.api.Open(d.ordinal)
	if err == nil {
		if err = ctx.Synchronize(0); err != nil {
			_ = ctx.Close() // the same loss still
		}
	}
	if err != nil {
		return err
	}
	d.ctx = ctx
	d.reopened++
	clear(d.networks)
	return nil
}

// load compiles a source, or takes what the cache has, and loads it.
func (d *Device) load(s driver.Source) (driver.Module, error) {
	warn := func(err error) { d.o.Log.Warn("compiled kernels", "device", d.info.Name, "err", err) }
	return driver.Cache{Folder: d.o.Cache, Warn: warn}.Load(d.Context(), s)
}

// Load copies a network's numbers to the device, in the form in which inference in a precision reads
// them. For a network of a new shape kernels are compiled, which takes seconds
// where the cache does not have them, and checked.
func (d *Device) Load(p *nn.Params, precision kernels.Precision) (*Weights, error) {
	n, err := d.network(p.Spec, precision)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	w, err := n.load(p)
	if err != nil {
		return nil, fmt.Errorf("load a network on %s: %w", d.info.Name, err)
	}
	return w, nil
}

// network gives the kernels for networks of a shape.
func (d *Device) network(spec nn.Spec, precision kernels.Precision) (*network, error) {
	if err := errors.Join(spec.Validate(), precision.Validate()); err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s %+v", precision, spec)
	if n := d.known(key); n != nil {
		return n, nil
	}
	d.choosing.Lock()
	defer d.choosing.Unlock()
	if n := d.known(key); n != nil {
		return n, nil
	}
	n, err := d.choose(spec, precision)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.networks[key] = n
	return n, nil
}

// known gives kernels that were chosen already, or nil.
func (d *Device) known(key string) *network {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.networks[key]
}
