package cudabackend

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/cuda/nvml"
	"tengen/nn/cuda/peak"
	"tengen/nn/cuda/training"
	"tengen/nn/train"
)

// rows is the size of a worker's batches. Two batches of each of 16 workers are 16,384 positions,
// several rounds of the largest devices, and the fixed cost of a batch is a few percent of its
// time.
const rows = 512

// Options of New. The zero value is usable.
type Options struct {
	Cache string        // folder for compiled kernels; "" keeps none
	Log   *slog.Logger  // logs rejected kernels; may be nil
	Ahead *driver.Ahead // kernels compiled ahead; nil: none
	// Reader reads the devices' state; nil gives no readings. The backend closes it.
	Reader nvml.Reader
	// Candidates is as in cuda.Options: 0 chooses, 1 takes the first plan that passes its check.
	Candidates int
	// Unchecked leaves out the comparison of new kernels with the processor's results.
	Unchecked bool
}

// devices implements backend.Backend.
type devices struct {
	spec      backend.Spec
	auto      bool // the processor takes over what a device can't do
	list      []*cuda.Device
	lost      []atomic.Bool // by device
	inference kernels.Precision
	training  kernels.Precision
	reader    nvml.Reader
	log       *slog.Logger
}

// New opens the devices that a spec lists, or the first device if it lists none. For backend.Auto it
// opens all devices like the first that can be used, checks that kernels can be had for them, and logs
// which devices it leaves out.
func New(api driver.API, spec backend.Spec, o Options) (_ backend.Backend, err error) {
	found, err := api.Devices()
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, errors.New("the driver finds no CUDA device")
	}
	d := &devices{spec: spec, auto: spec.Kind == backend.Auto, inference: kernels.BF16, training: kernels.TF32, reader: o.Reader, log: o.Log}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	d.spec.Kind = backend.CUDA
	if spec.Inference != "" {
		d.inference = kernels.Precision(spec.Inference)
	}
	if spec.Training != "" {
		d.training = kernels.Precision(spec.Training)
	}
	open := func(n int) (*cuda.Device, error) {
		return cuda.Open(api, n, cuda.Options{Cache: o.Cache, Ahead: o.Ahead, Log: o.Log, Candidates: o.Candidates, Unchecked: o.Unchecked})
	}
	if d.auto {
		err = d.openAll(found, open)
	} else {
		if len(spec.Ordinals) == 0 {
			d.spec.Ordinals = []int{0}
		}
		for _, n := range d.spec.Ordinals {
			device, err := open(n)
			if err != nil {
				return nil, err
			}
			d.list = append(d.list, device)
		}
	}
	if err != nil {
		return nil, err
	}
	d.lost = make([]atomic.Bool, len(d.list))
	return d, nil
}

// probe is a network for which kernels must be had.
var probe = nn.Spec{
	Planes: 1, Height: 3, Width: 3, Players: 1, Actions: 9, Blocks: 1, Filters: 16, Hidden: 4,
	Policy: nn.PolicyConv, Value: nn.ValueLinear,
}

// openAll opens the first device that can be used and all others of its kind: rows have the same bits on
// all of them.
func (d *devices) openAll(found []driver.Device, open func(int) (*cuda.Device, error)) error {
	d.spec.Ordinals = nil
	var first error
	for i, info := range found {
		if len(d.list) > 0 {
			if kind := d.list[0].Info(); kind.Name != info.Name || kind.Capability() != info.Capability() {
				d.log.Info("device left out", "name", fmt.Sprintf("cuda:%d", i), "is", info.String(), "why", "it is of another kind than the first: results would differ in their last bits")
				continue
			}
		}
		device, err := open(i)
		if err == nil {
			if err = device.Prepare(probe, d.inference); err != nil {
				err = errors.Join(err, device.Close())
			}
		}
		if err != nil {
			if first == nil {
				first = err
			}
			d.log.Warn("device left out", "name", fmt.Sprintf("cuda:%d", i), "is", info.String(), "why", err)
			continue
		}
		d.list, d.spec.Ordinals = append(d.list, device), append(d.spec.Ordinals, i)
	}
	if len(d.list) == 0 {
		return first
	}
	return nil
}

var (
	_ backend.Monitored = (*devices)(nil)
	_ backend.Measured  = (*devices)(nil)
	_ backend.Selective = (*devices)(nil)
	_ backend.Prepared  = (*devices)(nil)
)

func (d *devices) Name() string { return d.spec.String() }

func (d *devices) Describe() string {
	var list []string
	for _, x := range d.list {
		info := x.Info()
		list = append(list, info.String())
	}
	return fmt.Sprintf("%s, inference %s, training %s", strings.Join(list, " and "), d.inference, d.training)
}

// Kernels returns the devices' architecture and the precisions.
func (d *devices) Kernels() string {
	info := d.list[0].Info()
	return fmt.Sprintf("cuda-%d.%d-%s-%s", info.Major, info.Minor, d.inference, d.training)
}

func (d *devices) Rows() int { return rows }

func (d *devices) Precisions() (inference, training string) {
	return string(d.inference), string(d.training)
}

// Computes implements backend.Selective.
func (d *devices) Computes(s nn.Spec) error { return cuda.Computes(s) }

// Prepare implements backend.Prepared: it chooses the kernels for networks of a description on all
// devices.
func (d *devices) Prepare(s nn.Spec) error {
	for _, device := range d.list {
		if err := device.Prepare(s, d.inference); err != nil {
			return err
		}
	}
	return nil
}

// Load implements backend.Backend. Lost devices are left out, unless all are lost.
func (d *devices) Load(p *nn.Params) (nn.Network, error) {
	s := &spread{devices: d}
	var lost error
	for i, device := range d.list {
		if len(d.list) > 1 && d.lost[i].Load() {
			continue
		}
		w, err := device.Load(p, d.inference)
		if driver.Lost(err) && len(d.list) > 1 {
			d.lose(i, err)
			lost = err
			continue
		}
		if err != nil {
			for _, w := range s.weights {
				w.Close()
			}
			if d.auto && !driver.Lost(err) {
				d.log.Warn("the processor evaluates this network", "why", err)
				return nn.Fold(p), nil
			}
			return nil, err
		}
		s.weights, s.of = append(s.weights, w), append(s.of, i)
	}
	switch {
	case len(s.weights) == 0 && lost == nil:
		return nil, errAllLost
	case len(s.weights) == 0:
		return nil, lost
	case len(d.list) == 1:
		return s.weights[0], nil
	}
	return s, nil
}

// errAllLost is the error of a network that no device is left for.
var errAllLost error = &driver.LostError{Device: "all devices", Call: "load a network", Code: 46, Reason: "each was lost before"}

// lose records that a device was lost, and logs it once.
func (d *devices) lose(i int, err error) {
	if d.lost[i].CompareAndSwap(false, true) {
		d.log.Warn("device lost; the others take its work", "name", fmt.Sprintf("cuda:%d", d.spec.Ordinals[i]), "err", err)
	}
}

// NewTrainer implements backend.Backend. The kernels for inference are chosen first: what they may do to
// the device then reaches no trainer.
func (d *devices) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	device := d.list[0]
	err := cuda.Computes(p.Spec)
	if err == nil {
		err = device.Prepare(p.Spec, d.inference)
	}
	var t *training.Trainer
	if err == nil {
		t, err = training.NewTrainer(device, p, c, d.training)
	}
	switch {
	case err == nil:
		return t, nil
	case d.auto && !driver.Lost(err):
		host, e := train.New(p, c)
		if e != nil {
			return nil, e
		}
		d.log.Warn("the processor trains", "why", err)
		return host, nil
	}
	return nil, err
}

// Readings implements backend.Monitored.
func (d *devices) Readings() []backend.Reading {
	if d.reader == nil {
		return nil
	}
	var list []backend.Reading
	for i, device := range d.list {
		r := backend.Reading{Name: fmt.Sprintf("cuda:%d", d.spec.Ordinals[i])}
		x, err := d.reader.Read(device.Info().UUID)
		if err != nil {
			nan := math.NaN()
			x = nvml.Reading{Use: nan, MemoryUsed: nan, MemoryTotal: nan, Power: nan, Temperature: nan}
		}
		r.Utilization, r.MemoryUsed, r.MemoryTotal, r.Power, r.Temperature = x.Use, x.MemoryUsed, x.MemoryTotal, x.Power, x.Temperature
		list = append(list, r)
	}
	return list
}

// Peaks implements backend.Measured.
func (d *devices) Peaks() (backend.Peaks, error) {
	r, err := peak.Measure(d.list[0].Session())
	return backend.Peaks(r), err
}

// Close implements backend.Backend.
func (d *devices) Close() error {
	var errs []error
	for _, x := range d.list {
		errs = append(errs, x.Close())
	}
	if d.reader != nil {
		errs = append(errs, d.reader.Close())
		d.reader = nil
	}
	return errors.Join(errs...)
}
