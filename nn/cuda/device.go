package cuda

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// Options of Open. The zero value is usable.
type Options struct {
	// Cache is the folder in which compiled kernels are kept between runs; "" keeps none.
	Cache string
	// Ways are those that inference may use, nil for all. Kernels that do not compile or do not
	// agree with the processor are rejected; kernels.Layers is always the last choice.
	Ways []kernels.Way
	// Candidates is the number of plans of the first way (one less of the others) that are
	// compiled and timed for a network of a new shape, which takes some seconds each; the fastest
	// is stored in Cache. 0 means three on a device, and one without timing in the emulator.
	Candidates int
	// Unchecked omits the comparison of a network's kernels with the processor's results, which
	// takes a moment for each shape of network.
	Unchecked bool
	// Ahead holds kernels that were compiled when the program was built; nil: none.
	Ahead *driver.Ahead
	// Cores are those near the device, for its evaluators' Cores; nil: all are.
	Cores []int
	// Separate opens a context that shares nothing with others of the device, such as a lost one.
	Separate bool
	// Log logs which kernels are used and which were rejected; it may be nil.
	Log *slog.Logger
}

// Device is an opened device. Its methods may be called from any goroutine.
type Device struct {
	api     driver.API
	ordinal int
	info    driver.Device
	o       Options
	images  *driver.Images // compiled kernels, shared with trials
	from    *sync.Map      // where the image of a source came from, by its key; shared too

	choosing sync.Mutex   // one network is prepared at a time
	polling  atomic.Int32 // goroutines in batch.poll
	blocks   atomic.Int64 // see batch.chooseTower

	mu       sync.Mutex
	session  Session
	closed   bool
	networks map[string]*network
}

// Open opens the device with the given number.
func Open(api driver.API, ordinal int, o Options) (*Device, error) {
	devices, err := api.Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(devices) {
		return nil, fmt.Errorf("there is no CUDA device %d: this machine has %d",
			ordinal, len(devices))
	}
	if d := &devices[ordinal]; d.Capability() < kernels.LeastCapability {
		return nil, fmt.Errorf("%s has compute capability %d.%d; at least 7.5 (Turing) is wanted",
			d.Name, d.Major, d.Minor)
	}
	open := api.Open
	if o.Separate {
		open = api.OpenSeparate
	}
	ctx, err := open(ordinal)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", devices[ordinal].Name, err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Device{
		api: api, ordinal: ordinal, info: ctx.Device(), o: o, images: &driver.Images{},
		from: &sync.Map{}, networks: map[string]*network{},
	}
	d.session = Session{Context: ctx, device: d}
	return d, nil
}

// Info describes the device.
func (d *Device) Info() driver.Device { return d.info }

// Options returns the options that the device was opened with. Log is not nil.
func (d *Device) Options() Options { return d.o }

// Close frees everything on the device. Weights, evaluators and trainers must not be used
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

// Session is one context of a device. Reopen starts a new one.
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

// Release calls f to free resources of the session. It does not call f if the session has ended,
// since everything in it has been freed.
func (s Session) Release(f func(driver.Context)) {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	if !s.device.closed && s.device.session.number == s.number {
		f(s.Context)
	}
}

// open reports whether the session has not ended.
func (s Session) open() bool {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	return !s.device.closed && s.device.session.number == s.number
}

// Reopen replaces a lost context and everything in it by a new session.
func (d *Device) Reopen() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return errors.New("the device was closed")
	}
	_ = d.session.Close() // its errors repeat the loss
	open := d.api.Open
	if d.o.Separate {
		open = d.api.OpenSeparate
	}
	ctx, err := open(d.ordinal)
	if err == nil {
		if err = ctx.Synchronize(0); err != nil {
			_ = ctx.Close() // the device is still lost
		}
	}
	if err != nil {
		return err
	}
	d.session = Session{ctx, d, d.session.number + 1}
	clear(d.networks)
	return nil
}

// Compile compiles a source, or takes its image from the cache, and loads the image.
func (d *Device) Compile(s driver.Source) (driver.Module, error) {
	warn := func(err error) { d.o.Log.Warn("compiled kernels", "device", d.info.Name, "err", err) }
	used := func(s driver.Source, from string) {
		d.o.Log.Debug("kernels loaded", "device", d.info.Name, "source", s.Name, "from", from)
		d.from.Store(s.Key(), from)
	}
	session := d.Session()
	m, err := driver.Cache{
		Folder: d.o.Cache, Warn: warn, Images: d.images, Ahead: d.o.Ahead, Used: used,
	}.Load(session, s)
	if t, ok := session.Context.(*driver.Trace); ok && err == nil {
		t.Loaded(m, s)
	}
	return m, err
}

// Trace makes the calls of all that is made on the device from now on ready to be timed. It is
// called at most once, and before a device that is lost is opened again.
func (d *Device) Trace() *driver.Trace {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := driver.NewTrace(d.session.Context)
	d.session.Context = t
	clear(d.networks)
	return t
}

// Prepare chooses the kernels that evaluate networks of a shape, without auxiliary heads: it
// compiles them unless they are cached, and checks them on a context of their own. Load does the
// same where Prepare was not called.
func (d *Device) Prepare(spec nn.Spec, precision kernels.Precision) error {
	if _, err := d.network(spec.WithoutAuxiliary(), precision); err != nil {
		return fmt.Errorf("%s: %w", d.info.Name, err)
	}
	return nil
}

// atOnce bounds the devices for which kernels are made at the same time.
const atOnce = 8

// AtOnce calls f with the numbers of n devices to make kernels for them: one after another until f
// returns true, which says that it compiled and chose kernels, as the cache then holds; and for the
// others at the same time, at most eight.
func AtOnce(n int, f func(i int) bool) {
	limit := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	made := false
	for i := range n {
		if !made {
			made = f(i)
			continue
		}
		group.Go(func() {
			limit <- struct{}{}
			f(i)
			<-limit
		})
	}
	group.Wait()
}

// Load copies a network's parameters to the device, without those of auxiliary heads, in the layout
// that inference in the given precision reads. For a network of a new shape it compiles kernels,
// which takes seconds unless they are cached, and checks them. In fp16 it checks each network: an
// error says that numbers are too large for it.
func (d *Device) Load(p *nn.Params, precision kernels.Precision) (*Weights, error) {
	p = p.WithoutAuxiliary()
	n, err := d.network(p.Spec, precision)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.info.Name, err)
	}
	w, err := n.load(p)
	if err == nil && precision == kernels.FP16 {
		if err = n.checkRange(p, w); err != nil {
			w.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("load a network on %s: %w", d.info.Name, err)
	}
	return w, nil
}

// network returns the kernels for networks of a shape.
func (d *Device) network(spec nn.Spec, precision kernels.Precision) (*network, error) {
	if err := errors.Join(spec.Validate(), precision.Validate()); err != nil {
		return nil, err
	}
	if err := precision.On(&d.info); err != nil {
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

// known returns the kernels that were already chosen for a key, or nil.
func (d *Device) known(key string) *network {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.networks[key]
}
