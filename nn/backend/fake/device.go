package fake

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// Device is a backend.Backend. Its zero value is never lost.
type Device struct {
	LostAfterBatches int64 // batches of all evaluators of one network; 0: never
	// the network whose batches LostAfterBatches counts, from 1 as they are loaded; 0: any
	LostNetwork int
	// HangAfterBatches is the number of batches of one network after which the device hangs until
	// Hang is closed; 0: never.
	HangAfterBatches int64
	Hang             chan struct{}
	LostAtStep       int64 // step, counted over all trainers from 1; 0: never
	Refuses          error // what Load and NewTrainer return, if it is not nil

	mu       sync.Mutex
	networks []*nntest.Device
	steps    atomic.Int64
	lost     atomic.Bool
	trainers atomic.Int64 // open trainers
}

// Lost is the error of a device that is lost.
var Lost error = &driver.LostError{
	Device: "test:0", Call: "cuStreamSynchronize", Code: 719, Reason: "unspecified launch failure",
}

// Name, Describe and Kernels describe the device.
func (*Device) Name() string     { return "test:0" }
func (*Device) Describe() string { return "a device for tests" }
func (*Device) Kernels() string  { return "test" }

// Rows returns 18: with Descent, two concurrent games with nine actions each.
func (*Device) Rows() int { return 18 }

// Load implements backend.Backend.
func (d *Device) Load(p *nn.Params) (nn.Network, error) {
	if d.lost.Load() {
		return nil, Lost
	}
	if d.Refuses != nil {
		return nil, d.Refuses
	}
	n := &nntest.Device{
		Network: nn.Fold(p), FailAfter: d.LostAfterBatches, Lost: Lost,
		HangAfter: d.HangAfterBatches, Hang: d.Hang,
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.networks = append(d.networks, n)
	if d.LostNetwork != 0 && len(d.networks) != d.LostNetwork {
		n.FailAfter = 0
	}
	return n, nil
}

// Open returns the number of evaluators and trainers that are not closed.
func (d *Device) Open() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.trainers.Load()
	for _, x := range d.networks {
		n += x.Open()
	}
	return n
}

// Batches counts the batches of all networks: see nntest.Device.
func (d *Device) Batches() (all, beside int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.networks {
		a, b := x.Batches()
		all, beside = all+a, beside+b
	}
	return all, beside
}

// NewTrainer implements backend.Backend.
func (d *Device) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	if d.Refuses != nil {
		return nil, d.Refuses
	}
	t, err := train.New(p, c)
	if err != nil {
		return nil, err
	}
	d.trainers.Add(1)
	return &lossyTrainer{GraphTrainer: t, device: d, rows: c.Batch}, nil
}

// Precisions returns a device's defaults.
func (*Device) Precisions() (inference, training string) { return backend.BF16, backend.TF32 }

// Readings returns the readings of a device with a utilization of 0.5.
func (*Device) Readings() []backend.Reading {
	return []backend.Reading{
		{Name: "test:0", Utilization: 0.5, MemoryUsed: 1 << 30, MemoryTotal: 8 << 30, Power: 250,
			Temperature: 61},
	}
}

// InUse returns that there is one device.
func (*Device) InUse() (evaluate, train int) { return 1, 1 }

// Peaks returns round numbers.
func (*Device) Peaks() (backend.Peaks, error) {
	return backend.Peaks{BF16: 800e12, TF32: 400e12, FP32: 50e12, Copy: 4e12}, nil
}

// Close implements backend.Backend.
func (*Device) Close() error { return nil }

// lossyTrainer is the processor's trainer until the device is lost. It is a train.Async which makes
// steps when they begin and spoils their batches.
type lossyTrainer struct {
	*train.GraphTrainer
	device   *Device
	rows     int // of a batch
	closed   bool
	outcomes []outcome // of the steps begun
}

// outcome is what Wait returns for a step.
type outcome struct {
	losses nn.Losses
	err    error
}

var _ train.Async = (*lossyTrainer)(nil)

func (t *lossyTrainer) err() error {
	if t.device.lost.Load() {
		return Lost
	}
	return nil
}

func (t *lossyTrainer) Step(b *train.Batch) (nn.Losses, error) {
	if n := t.device.steps.Add(1); t.device.LostAtStep > 0 && n >= t.device.LostAtStep {
		t.device.lost.Store(true)
	}
	if err := t.err(); err != nil {
		return nn.Losses{}, err
	}
	return t.GraphTrainer.Step(b)
}

func (t *lossyTrainer) NewBatch() *train.Batch {
	p, err := t.GraphTrainer.Params()
	if err != nil {
		panic(err)
	}
	return train.NewBatch(p.Spec, t.rows)
}

func (t *lossyTrainer) Start(b *train.Batch) error {
	if len(t.outcomes) == 2 {
		return errors.New("two steps are under way")
	}
	if len(t.outcomes) == 0 || t.outcomes[0].err == nil {
		l, err := t.Step(b)
		t.outcomes = append(t.outcomes, outcome{l, err})
	}
	for i := range b.Observations {
		b.Observations[i] = float32(math.NaN())
	}
	return nil
}

func (t *lossyTrainer) Wait() (nn.Losses, error) {
	o := t.outcomes[0]
	t.outcomes = t.outcomes[1:]
	return o.losses, o.err
}

func (t *lossyTrainer) Losses(b *train.Batch) (nn.Losses, error) {
	if err := t.err(); err != nil {
		return nn.Losses{}, err
	}
	return t.GraphTrainer.Losses(b)
}

func (t *lossyTrainer) Params() (*nn.Params, error) {
	if err := t.err(); err != nil {
		return nil, err
	}
	return t.GraphTrainer.Params()
}

func (t *lossyTrainer) Averaged() (*nn.Params, error) {
	if err := t.err(); err != nil {
		return nil, err
	}
	return t.GraphTrainer.Averaged()
}

func (t *lossyTrainer) State() (train.State, error) {
	if err := t.err(); err != nil {
		return train.State{}, err
	}
	return t.GraphTrainer.State()
}

func (t *lossyTrainer) Close() {
	if !t.closed {
		t.closed = true
		t.device.trainers.Add(-1)
	}
}
