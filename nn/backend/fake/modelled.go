package fake

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda"
	"tengen/nn/train"
)

// Modelled is a backend.Backend of a modelled device. It is safe for concurrent use.
type Modelled struct {
	queue   queue
	began   time.Time
	driver  sync.Mutex // held during the calls of a batch
	mu      sync.Mutex
	reading Usage // the last
	whole   Usage // sums of all readings since the last Usage, weighed by their time
}

var _ backend.Monitored = (*Modelled)(nil)

// NewModelled returns a device of a model.
func NewModelled(m Model) *Modelled { return &Modelled{queue: queue{model: m}, began: time.Now()} }

// Name returns "modelled".
func (*Modelled) Name() string { return "modelled" }

// Describe describes the model.
func (b *Modelled) Describe() string {
	m := &b.queue.model
	return fmt.Sprintf(
		"modelled: %s, %d positions a round of %.2f ms, %.2f million a second; it computes nothing",
		m.Name, m.Slots, 1e3*m.round().Seconds(), m.Rate/1e6)
}

// Kernels returns "modelled".
func (*Modelled) Kernels() string { return "modelled" }

// Rows implements backend.Backend.
func (b *Modelled) Rows() int { return b.queue.model.Rows }

// Load implements backend.Backend.
func (b *Modelled) Load(p *nn.Params) (nn.Network, error) {
	return newNetwork(p.Spec, b), nil
}

// NewTrainer returns a trainer that leaves the weights as they are.
func (b *Modelled) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &trainer{params: p.Clone(), config: c, device: b}, nil
}

// Close implements backend.Backend.
func (*Modelled) Close() error { return nil }

// now is the time since the start.
func (b *Modelled) now() time.Duration { return time.Since(b.began) }

// calls takes the time of the driver's calls for a batch.
func (b *Modelled) calls() {
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
func (b *Modelled) until(t time.Duration) {
	if d := t - b.now(); d > 0 {
		wait(d)
	}
}

// Usage returns how the device was used since NewModelled or the last Usage.
func (b *Modelled) Usage() Usage {
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
func (b *Modelled) read() {
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
func (b *Modelled) Readings() []backend.Reading {
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
	device *Modelled
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

// network is a network of which only the shapes are known.
type network struct {
	spec   nn.Spec
	device *Modelled
	packs  *cuda.Queue
}

func newNetwork(spec nn.Spec, b *Modelled) *network {
	n := &network{spec: spec, device: b}
	m := &b.queue.model
	n.packs = &cuda.Queue{
		Rows: m.Rows, Block: m.Block, Most: 2 * m.Slots,
		NewPack: func() (cuda.Launch, error) { return &flight{device: b}, nil },
		SetPack: func(cuda.Launch, any) {},
	}
	if m.Pack {
		n.packs.Small = m.Rows / 4 // as package cuda
	}
	return n
}

func (n *network) Spec() nn.Spec { return n.spec }

func (n *network) NewEvaluator() nn.Evaluator {
	return &evaluator{network: n, batches: map[*nn.Batch]*batch{}}
}

// flight is a launch.
type flight struct {
	device *Modelled
	due    atomic.Int64 // when its results are there, nanoseconds
}

// Launch implements cuda.Launch.
func (f *flight) Launch(rows int) error {
	f.device.calls()
	f.due.Store(int64(f.device.queue.batch(f.device.now(), rows)))
	return nil
}

// Wait implements cuda.Launch.
func (f *flight) Wait() error {
	f.device.until(time.Duration(f.due.Load()))
	return nil
}

// Done implements cuda.Launch.
func (f *flight) Done() (bool, error) { return f.device.now() >= time.Duration(f.due.Load()), nil }

// batch is a batch of an evaluator.
type batch struct {
	cuda.PackState
	flight
}

func (b *batch) Weights() any              { return nil }
func (*batch) Put(cuda.Launch, int, int)   {}
func (b *batch) Get(cuda.Launch, int, int) {}

// evaluator implements nn.Async: all logits are 0, and all players' values equal.
type evaluator struct {
	network *network
	batches map[*nn.Batch]*batch
}

var _ nn.Async = (*evaluator)(nil)

func (e *evaluator) NewBatch(capacity int) *nn.Batch {
	s := &e.network.spec
	b := &nn.Batch{
		Observations: make([]float32, capacity*s.Planes*s.Cells()),
		Values:       make([]float32, capacity*s.Players),
	}
	if s.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*s.Actions)
	}
	for i := range b.Values {
		b.Values[i] = 1 / float32(s.Players)
	}
	e.batches[b] = &batch{flight: flight{device: e.network.device}}
	return b
}

// Wait returns the error
func (e *evaluator) Start(b *nn.Batch) { _ = e.network.packs.Start(e.batches[b], b.N) }

func (e *evaluator) Wait(b *nn.Batch) error { return e.network.packs.Wait(e.batches[b]) }

func (e *evaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

func (e *evaluator) Close() {
	for _, b := range e.batches {
		e.network.packs.Forget(b)
	}
	clear(e.batches)
}

// nanReading is a reading of a device that reports nothing.
func nanReading(name string) backend.Reading {
	nan := math.NaN()
	return backend.Reading{
		Name: name, Utilization: nan, MemoryUsed: nan, MemoryTotal: nan, Power: nan,
		Temperature: nan,
	}
}
