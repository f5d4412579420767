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
	Cache string       // folder for compiled kernels; "" keeps none
	Log   *slog.Logger // logs rejected kernels; may be nil
	// Reader reads the devices' state; nil gives no readings. The backend closes it.
	Reader nvml.Reader
	// Unchecked leaves out the comparison of new kernels with the processor's results.
	Unchecked bool
}

// devices implements backend.Backend.
type devices struct {
	spec      backend.Spec
	list      []*cuda.Device
	inference kernels.Precision
	training  kernels.Precision
	reader    nvml.Reader
}

// New opens the devices that a spec lists, or the first device if it lists none.
func New(api driver.API, spec backend.Spec, o Options) (_ backend.Backend, err error) {
	found, err := api.Devices()
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, errors.New("the driver finds no CUDA device")
	}
	d := &devices{spec: spec, inference: kernels.BF16, training: kernels.TF32, reader: o.Reader}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	d.spec.Kind = backend.CUDA
	if len(spec.Ordinals) == 0 {
		d.spec.Ordinals = []int{0}
	}
	if spec.Inference != "" {
		d.inference = kernels.Precision(spec.Inference)
	}
	if spec.Training != "" {
		d.training = kernels.Precision(spec.Training)
	}
	for _, n := range d.spec.Ordinals {
		device, err := cuda.Open(api, n, cuda.Options{Cache: o.Cache, Log: o.Log, Unchecked: o.Unchecked})
		if err != nil {
			return nil, err
		}
		d.list = append(d.list, device)
	}
	return d, nil
}

var (
	_ backend.Monitored = (*devices)(nil)
	_ backend.Measured  = (*devices)(nil)
	_ backend.Selective = (*devices)(nil)
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

// Load implements backend.Backend.
func (d *devices) Load(p *nn.Params) (nn.Network, error) {
	s := &spread{}
	for _, device := range d.list {
		w, err := device.Load(p, d.inference)
		if err != nil {
			for _, w := range s.weights {
				w.Close()
			}
			return nil, err
		}
		s.weights = append(s.weights, w)
	}
	if len(s.weights) == 1 {
		return s.weights[0], nil
	}
	return s, nil
}

// spread is a network on several devices.
type spread struct {
	weights []*cuda.Weights
	next    atomic.Uint64
}

func (s *spread) Spec() nn.Spec { return s.weights[0].Spec() }

// NewEvaluator returns an evaluator on the next device.
func (s *spread) NewEvaluator() nn.Evaluator {
	return s.weights[(s.next.Add(1)-1)%uint64(len(s.weights))].NewEvaluator()
}

// NewTrainer implements backend.Backend.
func (d *devices) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	t, err := training.NewTrainer(d.list[0], p, c, d.training)
	if err != nil {
		return nil, err
	}
	return t, nil
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
