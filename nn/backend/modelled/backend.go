package modelled

import (
	"fmt"
	"sync"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
)

// Backend is a backend.Backend of a modelled device. It is safe for concurrent use.
type Backend struct {
	queue   queue
	began   time.Time
	driver  sync.Mutex // held during the calls of a batch
	mu      sync.Mutex
	reading Usage // the last
	whole   Usage // sums of all readings since the last Usage, weighed by their time
}

var _ backend.Monitored = (*Backend)(nil)

// New returns a device of a model.
func New(m Model) *Backend { return &Backend{queue: queue{model: m}, began: time.Now()} }

// Name returns "modelled".
func (*Backend) Name() string { return "modelled" }

// Describe describes the model.
func (b *Backend) Describe() string {
	m := &b.queue.model
	return fmt.Sprintf(
		"modelled: %s, %d positions a round of %.2f ms, %.2f million a second; it computes nothing",
		m.Name, m.Slots, 1e3*m.round().Seconds(), m.Rate/1e6)
}

// Kernels returns "modelled".
func (*Backend) Kernels() string { return "modelled" }

// Rows implements backend.Backend.
func (b *Backend) Rows() int { return b.queue.model.Rows }

// Load implements backend.Backend.
func (b *Backend) Load(p *nn.Params) (nn.Network, error) {
	return newNetwork(p.Spec, b), nil
}

// NewTrainer returns a trainer that leaves the weights as they are.
func (b *Backend) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &trainer{params: p.Clone(), config: c, device: b}, nil
}

// Close implements backend.Backend.
func (*Backend) Close() error { return nil }

// now is the time since the start.
func (b *Backend) now() time.Duration { return time.Since(b.began) }

// calls takes the time of the driver's calls for a batch.
func (b *Backend) calls() {
	d := b.queue.model.Calls
	if d <= 0 {
		return
	}
	b.driver.Lock()
	defer b.driver.Unlock()
	for began := time.Now(); time.Since(began) < d; { // the core works meanwhile
	}
}

// until waits until a time.
func (b *Backend) until(t time.Duration) {
	if d := t - b.now(); d > 0 {
		wait(d)
	}
}

// Usage returns how the device was used since New or the last Usage.
func (b *Backend) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	u := b.whole
	b.whole = Usage{}
	if u.Seconds > 0 {
		u.Busy /= u.Seconds
		u.Work /= u.Seconds
		u.Training /= u.Seconds
	}
	return u
}

// read takes a reading; b.mu is held.
func (b *Backend) read() {
	u := b.queue.read(b.now())
	b.reading = u
	w := &b.whole
	w.Seconds += u.Seconds
	w.Busy += u.Busy * u.Seconds
	w.Work += u.Work * u.Seconds
	w.Training += u.Training * u.Seconds
	w.Batches += u.Batches
	w.Rows += u.Rows
	w.Steps += u.Steps
}

// Readings implements backend.Monitored: the utilization is that since the last reading.
func (b *Backend) Readings() []backend.Reading {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	nan := nanReading("modelled")
	nan.Utilization = b.reading.Busy
	return []backend.Reading{nan}
}

// trainer takes the time of training steps.
type trainer struct {
	params *nn.Params
	config train.Config
	device *Backend
	state  train.State
}

// losses are those of a network that knows nothing, but finite.
var losses = nn.Losses{Total: 1, Policy: 1, Value: 1, WeightNorm: 1, LearningRate: 1e-4}

func (t *trainer) Step(*train.Batch) (nn.Losses, error) {
	t.device.until(t.device.queue.step(t.device.now(), t.config.Batch))
	t.state.Steps++
	return losses, nil
}

func (t *trainer) Losses(*train.Batch) (nn.Losses, error) {
	t.device.until(t.device.queue.batch(t.device.now(), t.config.Batch))
	return losses, nil
}

func (*trainer) SetProgress(float64)             {}
func (*trainer) SetScale(float64)                {}
func (t *trainer) Steps() int                    { return t.state.Steps }
func (t *trainer) Params() (*nn.Params, error)   { return t.params.Clone(), nil }
func (t *trainer) Averaged() (*nn.Params, error) { return t.params.Clone(), nil }
func (t *trainer) State() (train.State, error)   { return t.state, nil }
func (t *trainer) SetState(s train.State) error  { t.state = s; return nil }
