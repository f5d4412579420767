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

// Device is an opened device. Its methods may be called from any goroutine.
type Device struct {
	api     driver.API
	ordinal int
	info    driver.Device
	o       Options

	choosing sync.Mutex // one network is prepared at a time

	mu       sync.Mutex
	session  Session
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
	d := &Device{api: api, ordinal: ordinal, info: ctx.Device(), o: o, networks: map[string]*network{}}
	d.session = Session{Context: ctx, device: d}
	return d, nil
}

// Info describes the device.
func (d *Device) Info() driver.Device { return d.info }

// Options returns the options that the device was opened with. Log is not nil.
func (d *Device) Options() Options { return d.o }

// Close frees everything on the device. Weights, evaluators and trainers are not used
// afterwards. A second call does nothing.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	return d.session.Close()
}

// Session is one context of a device. A device has another after Reopen.
type Session struct {
	driver.Context
	device *Device
	number int
}

// Session returns the current session.
func (d *Device) Session() Session {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.session
}

// Release calls f to free what was made in the session. It does not call f after the session has ended,
// when everything in it has been freed.
func (s Session) Release(f func(driver.Context)) {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	if !s.device.closed && s.device.session.number == s.number {
		f(s.Context)
	}
}

// Reopen replaces a context that was lost, and everything made in it, by a new session.
func (d *Device) Reopen() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("the device was closed")
	}
	_ = d.session.Close() // its errors are those of the loss
	ctx, err := d.api.Open(d.ordinal)
	if err == nil {
		if err = ctx.Synchronize(0); err != nil {
			_ = ctx.Close() // the same loss still
		}
	}
	if err != nil {
		return err
	}
	d.session = Session{ctx, d, d.session.number + 1}
	clear(d.networks)
	return nil
}

// Compile compiles a source, or takes its image from the cache, and loads it.
func (d *Device) Compile(s driver.Source) (driver.Module, error) {
	warn := func(err error) { d.o.Log.Warn("compiled kernels", "device", d.info.Name, "err", err) }
	return driver.Cache{Folder: d.o.Cache, Warn: warn}.Load(d.Session(), s)
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
