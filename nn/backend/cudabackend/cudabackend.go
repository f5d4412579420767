package cudabackend

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/cuda/training"
	"tengen/nn/train"
)

// rows is the size of the batches of a worker whose work for a position is small, as in matches.
// Self-play has fewer games a worker (see package trainer), since their trees must fit the caches.
const rows = 512

// Options of New. The zero value is usable.
type Options struct {
	Cache string        // folder for compiled kernels; "" keeps none
	Log   *slog.Logger  // logs rejected kernels; may be nil
	Ahead *driver.Ahead // kernels compiled ahead; nil: none
	// Reader reads the devices' state; nil gives no readings. The backend closes it.
	Reader driver.Monitor
	// Candidates is as in cuda.Options: 0 chooses, 1 takes the first plan that passes its check.
	Candidates int
	// Unchecked leaves out the comparison of new kernels with the processor's results.
	Unchecked bool
	// Near returns the cores near a device, by its PCI address, nil if all are. It may be nil.
	Near func(pci string) []int
	// Again is the time after which one of several devices that was lost is tried again; it doubles
	// with each attempt. 0 means 15 seconds, a negative time never.
	Again time.Duration
}

// devices implements backend.Backend.
type devices struct {
	spec      backend.Spec
	auto      bool                      // the processor takes over what a device can't do
	list      []atomic.Pointer[opening] // the latest opening of each device
	trains    []int                     // the indices of the devices that share a training step
	players   []int                     // the indices of those that play; all, or all but trains
	losses    []atomic.Int64            // by device
	epoch     atomic.Uint64             // counts devices that are lost and come back
	inference kernels.Precision
	training  kernels.Precision
	reader    driver.Monitor
	log       *slog.Logger
	again     time.Duration
	open      func(ordinal int, separate bool) (*cuda.Device, error)

	mu         sync.Mutex
	said       map[string]bool    // what the log has said of the processor
	all        []*opening         // of all times
	known      map[string]nn.Spec // networks for which kernels were chosen
	stopped    bool
	stop       chan struct{}
	background sync.WaitGroup
}

// New opens the devices that a spec lists. If it lists none, New opens all devices like the first
// that can be used, checks that kernels can be had for them, and logs which devices it leaves out.
func New(api driver.API, spec backend.Spec, o Options) (_ backend.Backend, err error) {
	found, err := api.Devices()
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, errors.New("the driver finds no CUDA device")
	}
	d := &devices{spec: spec, auto: spec.Kind == backend.Auto, reader: o.Reader, log: o.Log,
		again: o.Again, said: map[string]bool{}, known: map[string]nn.Spec{},
		stop: make(chan struct{})}
	if d.again == 0 {
		d.again = firstWait
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	d.spec.Kind = backend.CUDA
	d.open = func(n int, separate bool) (*cuda.Device, error) {
		var cores []int
		if o.Near != nil && n >= 0 && n < len(found) {
			if cores = o.Near(found[n].PCI); cores != nil {
				d.log.Info("cores near the device", "name",
					fmt.Sprintf("cuda:%d", n), "cores", len(cores))
			}
		}
		return cuda.Open(api, n, cuda.Options{
			Cores: cores, Cache: o.Cache, Ahead: o.Ahead, Log: o.Log, Candidates: o.Candidates,
			Unchecked: o.Unchecked, Separate: separate,
		})
	}
	if len(spec.Ordinals) == 0 {
		err = d.openAll(found)
	}
	for _, n := range spec.Ordinals {
		device, err := d.open(n, false)
		if err != nil {
			return nil, err
		}
		d.add(device)
	}
	if len(spec.Ordinals) > 0 {
		err = d.setPrecisions(slices.MinFunc(d.all, func(a, b *opening) int {
			x, y := a.device.Info(), b.device.Info()
			return x.Capability() - y.Capability()
		}).device.Info())
	}
	if err == nil {
		err = d.assign()
	}
	if err != nil {
		return nil, err
	}
	d.list, d.losses = make([]atomic.Pointer[opening], len(d.all)), make([]atomic.Int64, len(d.all))
	for i, o := range d.all {
		d.list[i].Store(o)
	}
	return d, nil
}

// setPrecisions sets those that the spec names, or else the defaults: bf16, but fp16 and fp32 if
// the device, of several the one of the least capability, has no bf16.
func (d *devices) setPrecisions(info driver.Device) error {
	d.inference, d.training = kernels.BF16, kernels.BF16
	old := d.inference.On(&info) != nil
	if old {
		d.inference, d.training = kernels.FP16, kernels.FP32
	}
	if d.spec.Inference != "" {
		d.inference = kernels.Precision(d.spec.Inference)
	}
	if d.spec.Training != "" {
		d.training = kernels.Precision(d.spec.Training)
	}
	if err := errors.Join(d.inference.On(&info), d.training.On(&info)); err != nil {
		return err
	}
	if old {
		d.log.Info("before compute capability 8.0 there is neither bf16 nor tf32", "device",
			info.String(), "inference", string(d.inference), "training", string(d.training))
	}
	return nil
}

// add adds a device that was opened.
func (d *devices) add(device *cuda.Device) {
	d.all = append(d.all, &opening{index: len(d.all), device: device})
}

// assign determines which devices train and which play.
func (d *devices) assign() error {
	for _, n := range d.spec.Train {
		i := slices.Index(d.spec.Ordinals, n)
		if i < 0 {
			return fmt.Errorf("train=%s: device %d is not among those in use, %s",
				backend.List(d.spec.Train), n,
				backend.Spec{Kind: backend.CUDA, Ordinals: d.spec.Ordinals})
		}
		d.trains = append(d.trains, i)
	}
	for i := range d.all {
		if len(d.trains) == len(d.all) || !slices.Contains(d.trains, i) {
			d.players = append(d.players, i)
		}
	}
	switch {
	case len(d.trains) == 0:
		d.trains = []int{0}
	case len(d.all) == 1:
		return fmt.Errorf("train=%d: no device is left to play; cuda:%d uses the device for both",
			d.spec.Train[0], d.spec.Train[0])
	case len(d.trains) > 1:
		d.log.Info("devices share each training step: the network is the same to the bit only with this number of them, in this order",
			"devices", backend.List(d.spec.Train), "number", len(d.trains))
	}
	return nil
}

// first returns the first device.
func (d *devices) first() *cuda.Device { return d.list[0].Load().device }

// probe is a network for which auto must find kernels.
var probe = network(16, 3, 3)

// Common returns the networks whose kernels tools/release kernels compiles ahead beside the
// presets', from 8.0 on: that for which auto must find kernels, and those of common filters and
// boards, of one block. The kernels serve every depth, all
// heads and as many planes as there are filters.
func Common() []nn.Spec {
	all := []nn.Spec{probe}
	for _, filters := range []int{32, 64, 96, 128, 192, 256} {
		for _, board := range [][2]int{
			{3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}, {8, 8}, {9, 9}, {11, 11}, {13, 13},
			{6, 7}, // of connect-four
		} {
			all = append(all, network(filters, board[0], board[1]))
		}
	}
	return all
}

// network returns a network with small heads.
func network(filters, height, width int) nn.Spec {
	return nn.Spec{
		Planes: 1, Height: height, Width: width, Players: 1, Actions: height * width, Blocks: 1,
		Filters: filters, Hidden: 4, Policy: nn.PolicyConv, Value: nn.ValueLinear,
	}
}

// openAll opens the first device that can be used and all others of its kind: rows have the same
// bits on all of them.
func (d *devices) openAll(found []driver.Device) error {
	d.spec.Ordinals = nil
	var first error
	for i, info := range found {
		if len(d.all) > 0 {
			if kind := d.all[0].device.Info(); kind.Name != info.Name ||
				kind.Capability() != info.Capability() {
				d.log.Info("device left out", "name", fmt.Sprintf("cuda:%d", i), "is",
					info.String(), "why", "it is of another kind than the first: results would differ in their last bits")
				continue
			}
		}
		device, err := d.open(i, false)
		if err == nil {
			if len(d.all) == 0 {
				err = d.setPrecisions(info)
			}
			if err == nil {
				err = device.Prepare(probe, d.inference)
			}
			if err != nil {
				err = errors.Join(err, device.Close())
			}
		}
		if err != nil {
			if first == nil {
				first = err
			}
			d.log.Warn("device left out", "name", fmt.Sprintf("cuda:%d", i), "is",
				info.String(), "why", err)
			continue
		}
		d.add(device)
		d.spec.Ordinals = append(d.spec.Ordinals, i)
	}
	if len(d.all) == 0 {
		return first
	}
	return nil
}

var (
	_ backend.Monitored = (*devices)(nil)
	_ backend.Measured  = (*devices)(nil)
	_ backend.Prepared  = (*devices)(nil)
	_ backend.Traced    = (*devices)(nil)
)

func (d *devices) Name() string { return d.spec.String() }

func (d *devices) Describe() string {
	var list []string
	for i := range d.list {
		info := d.list[i].Load().device.Info()
		list = append(list, info.String())
	}
	return fmt.Sprintf("%s, inference %s, training %s",
		strings.Join(list, " and "), d.inference, d.training)
}

// Kernels returns the devices' architecture and the precisions.
func (d *devices) Kernels() string {
	info := d.first().Info()
	return fmt.Sprintf("cuda-%d.%d-%s-%s", info.Major, info.Minor, d.inference, d.training)
}

func (d *devices) Rows() int { return rows }

func (d *devices) Precisions() (inference, training string) {
	return string(d.inference), string(d.training)
}

// Prepare implements backend.Prepared: it chooses the kernels for networks of a description on all
// devices that are not lost.
func (d *devices) Prepare(s nn.Spec) error {
	all := make([]int, len(d.list))
	for i := range all {
		all[i] = i
	}
	done, err := d.prepare(all, s)
	switch {
	case err != nil:
		return err
	case done == 0:
		return errAllLost
	}
	d.note(s)
	return nil
}

// prepare chooses the kernels for networks of a description on devices that are not lost, and
// returns on how many it did. The error is that of the first device in the list that is not lost
// and fails.
func (d *devices) prepare(list []int, s nn.Spec) (done int, err error) {
	used := make([]*opening, len(list))
	devices := make([]*cuda.Device, len(list))
	for k, i := range list {
		if o := d.list[i].Load(); d.acquire(o) {
			used[k], devices[k] = o, o.device
		}
	}
	errs := d.prepared(devices, s)
	for k, o := range used {
		if o == nil {
			continue
		}
		if driver.Lost(errs[k]) {
			d.lose(o, errs[k])
		}
		lost := o.lost.Load()
		d.release(o)
		if errs[k] == nil {
			done++
		} else if err == nil && !lost {
			err = errs[k]
		}
	}
	return done, err
}

// prepared chooses the kernels for networks of a description on devices, nil for those that are
// left out. The first that works measures which are the fastest, and the others find its choice.
// After an error of the first, but for a loss, nothing is chosen for the others.
func (d *devices) prepared(list []*cuda.Device, s nn.Spec) []error {
	errs := make([]error, len(list))
	cuda.AtOnce(len(list), func(i int) bool {
		if list[i] == nil || i > 0 && errs[0] != nil && !driver.Lost(errs[0]) {
			return false
		}
		errs[i] = list[i].Prepare(s, d.inference)
		return errs[i] == nil
	})
	return errs
}

// Load implements backend.Backend. Lost devices are left out, unless all are lost. A device that
// trains alone gets the network if it must play, after all that play were lost.
func (d *devices) Load(p *nn.Params) (nn.Network, error) {
	if len(d.list) == 1 {
		w, err := d.first().Load(p, d.inference)
		if err != nil {
			return d.instead(p, err)
		}
		return w, nil
	}
	if _, err := d.prepare(d.players, p.Spec); err != nil {
		return d.instead(p, err)
	}
	s := &spread{devices: d, slots: make([]slot, len(d.list))}
	var lost error = errAllLost
	loaded := 0
	for k, i := range d.homes(0) {
		if k >= len(d.players) && loaded > 0 {
			break
		}
		o := d.list[i].Load()
		if !d.acquire(o) {
			continue
		}
		w, err := o.device.Load(p, d.inference)
		if driver.Lost(err) {
			d.lose(o, err)
		}
		d.release(o)
		switch {
		case err == nil:
			s.slots[i] = slot{w, o}
			loaded++
		case driver.Lost(err):
			lost = err
		default:
			for _, x := range s.slots {
				if x.weights != nil {
					x.weights.Close()
				}
			}
			return d.instead(p, err)
		}
	}
	if loaded == 0 {
		return nil, lost
	}
	d.note(p.Spec)
	s.params = p.WithoutAuxiliary().Clone()
	return s, nil
}

// instead returns the processor's network for auto if a device can't load it, and the error
// otherwise.
func (d *devices) instead(p *nn.Params, err error) (nn.Network, error) {
	if err := d.onProcessor("the processor evaluates this network", p.Spec, err); err != nil {
		return nil, err
	}
	return nn.Fold(p), nil
}

// onProcessor returns nil if the processor is to do for a network what the devices can't: for auto,
// unless a device is lost. The log says so once for networks of a description. Otherwise it returns
// the error.
func (d *devices) onProcessor(what string, s nn.Spec, err error) error {
	if !d.auto || driver.Lost(err) {
		return err
	}
	key := fmt.Sprintf("%s %+v", what, s)
	d.mu.Lock()
	said := d.said[key]
	d.said[key] = true
	d.mu.Unlock()
	if !said {
		d.log.Warn(what, "why", err)
	}
	return nil
}

// NewTrainer implements backend.Backend. The kernels for inference are chosen first: what they may
// do to the device then reaches no trainer. Of several devices the first trains, or those that are
// for it alone, and others go on if one is lost.
func (d *devices) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	var t train.Trainer
	var err error
	if len(d.list) == 1 {
		t, err = d.trainer([]*cuda.Device{d.first()}, p, c)
	} else {
		t, err = newLasting(d, p, c)
	}
	if err == nil {
		return t, nil
	}
	if err := d.onProcessor("the processor trains", p.Spec, err); err != nil {
		return nil, err
	}
	host, err := train.New(p, c)
	if err != nil {
		return nil, err // not the nil Trainer in an interface
	}
	return host, nil
}

// trainer makes a trainer on devices.
func (d *devices) trainer(
	list []*cuda.Device, p *nn.Params, c train.Config,
) (*training.Trainer, error) {
	for i, err := range d.prepared(list, p.Spec) {
		if err != nil {
			return nil, &training.DeviceError{Index: i, Err: err}
		}
	}
	return training.NewTrainer(list, p, c, d.training)
}

// Readings implements backend.Monitored.
func (d *devices) Readings() []backend.Reading {
	if d.reader == nil && len(d.list) == 1 {
		return nil
	}
	var list []backend.Reading
	for i := range d.list {
		o := d.list[i].Load()
		r := backend.Reading{Name: d.nameOf(i), Losses: float64(d.losses[i].Load())}
		if o.lost.Load() {
			r.Lost = 1
		}
		nan := math.NaN()
		x := driver.Reading{
			Use: nan, MemoryUsed: nan, MemoryTotal: nan, Power: nan, Temperature: nan,
		}
		if d.reader != nil {
			if now, err := d.reader.Read(o.device.Info().UUID); err == nil {
				x = now
			}
		}
		r.Utilization, r.MemoryUsed, r.MemoryTotal, r.Power, r.Temperature = x.Use, x.MemoryUsed,
			x.MemoryTotal, x.Power, x.Temperature
		list = append(list, r)
	}
	return list
}

// Peaks implements backend.Measured.
func (d *devices) Peaks() (backend.Peaks, error) {
	r, err := driver.MeasurePeak(d.first().Session())
	return backend.Peaks(r), err
}

// InUse implements backend.Measured.
func (d *devices) InUse() (evaluate, train int) {
	return len(d.players), len(d.trains)
}

// Trace implements backend.Traced.
func (d *devices) Trace() (func(bool, func() error) ([]backend.Call, error), error) {
	if len(d.list) > 1 {
		return nil, fmt.Errorf("%s: calls are timed on one device, as with --device %s",
			d.Name(), d.nameOf(0))
	}
	t := d.first().Trace()
	return func(whole bool, f func() error) ([]backend.Call, error) {
		timed, err := t.Time(whole, f)
		var list []backend.Call
		for i := range timed {
			w := kernels.WorkOf(&timed[i])
			list = append(list, backend.Call{
				Name: w.Name, Seconds: timed[i].Time.Seconds(), FLOP: w.FLOP, Bytes: w.Bytes,
			})
		}
		return list, err
	}, nil
}

// Close implements backend.Backend.
func (d *devices) Close() error {
	d.mu.Lock()
	if !d.stopped {
		d.stopped = true
		close(d.stop)
	}
	d.mu.Unlock()
	d.background.Wait()
	var errs []error
	for _, o := range d.all {
		errs = append(errs, o.device.Close())
	}
	if d.reader != nil {
		errs = append(errs, d.reader.Close())
		d.reader = nil
	}
	return errors.Join(errs...)
}
