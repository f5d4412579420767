package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
)

// deviceBatch is the default number of positions per batch on a device.
const deviceBatch = 4096

// described is a device, or several.
type described struct {
	Name      string `json:"device"`
	Is        string `json:"description"`
	Inference string `json:"inference_precision"`
	Training  string `json:"training_precision"`
}

// describe describes a backend's devices.
func describe(b backend.Backend) described {
	d := described{Name: b.Name(), Is: b.Describe()}
	if m, ok := b.(backend.Measured); ok {
		d.Inference, d.Training = m.Precisions()
	}
	return d
}

// device describes devices and the peaks of the first, with which rates are compared.
type device struct {
	described
	// of a large product, measured; null where it could not be
	BF16 *float64 `json:"bf16_flop_per_second"`
	TF32 *float64 `json:"tf32_flop_per_second"`
	FP32 *float64 `json:"fp32_flop_per_second"`
	// of a large copy, each byte read and written counted
	Copy *float64 `json:"copy_bytes_per_second"`
	Why  string   `json:"not_measured,omitempty"`

	evaluate, train int // devices
}

// leastCompared is the number of rows from which a batch's rate is compared with the device's peak.
const leastCompared = 1024

// measureDevice measures the peaks of a backend's first device, which takes two seconds, if one of
// the subjects is compared with them.
func measureDevice(b backend.Backend, subjects []subject) (*device, error) {
	d := &device{described: describe(b), evaluate: 1, train: 1}
	m, ok := b.(backend.Measured)
	if !ok {
		return d, nil
	}
	d.evaluate, d.train = m.InUse()
	compared := func(s subject) bool { return s.train.Batch >= leastCompared }
	if !slices.ContainsFunc(subjects, compared) {
		d.Why = fmt.Sprintf("batches of fewer than %d positions are not compared with it", leastCompared)
		return d, nil
	}
	p, err := m.Peaks()
	if err != nil {
		return nil, fmt.Errorf("the device's peaks: %w", err)
	}
	d.Why = p.Why
	for _, x := range []struct {
		to   **float64
		rate float64
	}{{&d.BF16, p.BF16}, {&d.TF32, p.TF32}, {&d.FP32, p.FP32}, {&d.Copy, p.Copy}} {
		if x.rate > 0 {
			*x.to = &x.rate
		}
	}
	return d, nil
}

// peak returns the measured rate of products in a precision, or nil.
func (d *device) peak(precision string) *float64 {
	return map[string]*float64{
		backend.BF16: d.BF16, backend.TF32: d.TF32, backend.FP32: d.FP32,
	}[precision]
}

func (d *device) String() string {
	text := d.Name + ": " + d.Is + "; peak of large products"
	if d.Copy == nil && d.Why != "" {
		return text + " not measured: " + d.Why
	}
	text += ":"
	for _, p := range []string{backend.BF16, backend.TF32, backend.FP32} {
		if rate := d.peak(p); rate != nil {
			text += fmt.Sprintf(" %s %.1f TFLOP/s,", p, *rate/1e12)
		} else {
			text += fmt.Sprintf(" %s not measured,", p)
		}
	}
	if d.Copy != nil {
		text += fmt.Sprintf(" large copy %.2f TB/s", *d.Copy/1e12)
	} else {
		text += " large copy not measured"
	}
	if d.Why != "" {
		text += " (" + d.Why + ")"
	}
	return text
}

// deviceSpeed is the speed of a network on a device.
type deviceSpeed struct {
	Game       string  `json:"game"`
	Network    string  `json:"network"`
	Parameters int     `json:"parameters"`
	Operations float64 `json:"flop_per_position"` // nominal
	Precision  string  `json:"precision"`
	Batch      int     `json:"batch"`
	// one batch alone, copies included; of training: a step
	Seconds    float64 `json:"seconds_per_batch"`
	OneWorker  float64 `json:"positions_per_second_one_worker"`
	AllWorkers float64 `json:"positions_per_second_all_workers,omitempty"`
	Workers    int     `json:"workers"`
	TFLOPS     float64 `json:"tflop_per_second"` // nominal, of the greater rate
	Devices    int     `json:"devices"`          // that the greater rate is of
	// nominal rate ÷ that of large products of the same precision on as many devices; null of small
	// batches
	OfPeak *float64   `json:"of_peak"`
	Calls  *breakdown `json:"kernels,omitempty"` // with --kernels
}

// spread determines the devices that the greater rate of evaluations is of: a worker's are on one.
func (s *deviceSpeed) spread(d *device) {
	if s.Devices = 1; s.AllWorkers > s.OneWorker {
		s.Devices = min(d.evaluate, s.Workers)
	}
}

// reckon computes the fields that follow from the rates.
func (s *deviceSpeed) reckon(d *device) {
	s.TFLOPS = max(s.OneWorker, s.AllWorkers) * s.Operations / 1e12
	if peak := d.peak(s.Precision); peak != nil && s.Batch >= leastCompared {
		share := 1e12 * s.TFLOPS / (float64(s.Devices) * *peak)
		s.OfPeak = &share
	}
}

func (s *deviceSpeed) figures(of string) []cli.Figure {
	ratio := ""
	if s.OfPeak != nil {
		ratio = fmt.Sprintf(", %.0f %% of the peak of %s", 100**s.OfPeak, s.Precision)
		if s.Devices > 1 {
			ratio += fmt.Sprintf(" on %d devices", s.Devices)
		}
	}
	list := []cli.Figure{
		{"parameters", cli.Grouped(float64(s.Parameters))},
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", s.Operations/1e6)},
		{"ms a " + of, fmt.Sprintf("%.3f", 1000*s.Seconds)},
		{"positions/s", fmt.Sprintf("%s of one worker", cli.Grouped(s.OneWorker))},
	}
	if s.AllWorkers > 0 {
		list = append(list,
			cli.Figure{"", fmt.Sprintf("%s of %d workers", cli.Grouped(s.AllWorkers), s.Workers)})
	}
	return append(list, cli.Figure{"nominal", fmt.Sprintf("%.1f TFLOP/s%s", s.TFLOPS, ratio)})
}

// deviceBench is what bench nn or bench train prints of a device.
type deviceBench struct {
	*device
	Networks []deviceSpeed `json:"networks"`

	trains bool // it is of bench train
}

func (r *deviceBench) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(w, r)
	}
	unit := "batch"
	if r.trains {
		unit = "step"
	}
	fmt.Fprintln(w, r.device)
	for _, n := range r.Networks {
		if err := cli.WriteFigures(w,
			networkTitle(n.Network, n.Game, n.Precision+", ", n.Batch, r.trains),
			n.figures(unit)); err != nil {
			return err
		}
		if n.Calls == nil {
			continue
		}
		if err := n.Calls.write(w, unit); err != nil {
			return err
		}
	}
	return nil
}

// newDeviceBench measures networks on a device, one after another: measure fills in the
// rates of one, and what is not that of all. trace is nil unless calls are wanted.
func newDeviceBench(
	b backend.Backend, subjects []subject, trains, calls bool,
	measure func(d *device, trace tracing, s subject, n *deviceSpeed) error,
) (*deviceBench, error) {
	d, err := measureDevice(b, subjects)
	if err != nil {
		return nil, err
	}
	trace, err := newTracing(b, calls)
	if err != nil {
		return nil, err
	}
	r := &deviceBench{device: d, trains: trains}
	for _, s := range subjects {
		n := deviceSpeed{
			Game: s.game.Name(), Network: cli.Network(s.spec), Parameters: s.params.Count(),
			Operations: operations(s.spec), Batch: s.train.Batch,
		}
		if err := measure(d, trace, s, &n); err != nil {
			return nil, err
		}
		n.reckon(d)
		r.Networks = append(r.Networks, n)
	}
	return r, nil
}

// benchDevice evaluates full batches on a device: one at a time; two in flight on one
// worker; and two on each of as many as there are cores.
func benchDevice(
	ctx context.Context, dur time.Duration, b backend.Backend, subjects []subject, seed uint64,
	calls bool,
) (*deviceBench, error) {
	return newDeviceBench(b, subjects, false, calls,
		func(d *device, trace tracing, s subject, n *deviceSpeed) error {
			batch := s.train.Batch
			loaded, err := b.Load(s.params)
			if err != nil {
				return err
			}
			var rates [3]float64
			for i, c := range [3]struct{ inFlight, workers int }{{1, 1}, {2, 1}, {2, cli.Cores()}} {
				t, err := measureFlights(ctx, dur/3, s.game, loaded, batch, c.inFlight,
					c.workers, seed)
				if err != nil {
					return err
				}
				rates[i] = t.rate()
			}
			n.Precision, n.Workers = d.Inference, cli.Cores()
			n.Seconds, n.OneWorker, n.AllWorkers = float64(batch)/rates[0], rates[1], rates[2]
			n.spread(d)
			if trace == nil {
				return nil
			}
			e := loaded.NewEvaluator()
			defer nn.Close(e)
			full := e.NewBatch(batch)
			full.N = batch
			observe(s.game, full.Observations, random.New(seed, random.Playout))
			n.Calls, err = trace.breakDown(dur, n.Seconds, func() error { return e.Evaluate(full) })
			return err
		})
}

// measureFlights measures workers that evaluate batches of positions from random games, each with
// inFlight batches in flight.
func measureFlights(
	ctx context.Context, d time.Duration, g game.Game, network nn.Network,
	batch, inFlight, workers int, seed uint64,
) (tally, error) {
	list := make([]*flights, workers)
	t, err := measure(ctx, d, workers, func(i int) func() int {
		list[i] = newFlights(g, network.NewEvaluator(), batch, inFlight, seed, uint64(i))
		return list[i].next
	})
	for _, f := range list {
		if failed := f.land(); failed != nil && err == nil {
			err = failed
		}
	}
	return t, err
}

// flights are batches in flight on one evaluator.
type flights struct {
	evaluator nn.Evaluator
	async     nn.Async // the same, nil where it works only while it is waited for
	batches   []*nn.Batch
	oldest    int
	started   bool
	err       error // the first of the evaluator
}

func newFlights(g game.Game, e nn.Evaluator, batch, inFlight int, seed, worker uint64) *flights {
	f := &flights{evaluator: e}
	f.async, _ = e.(nn.Async)
	for i := range inFlight {
		b := e.NewBatch(batch)
		b.N = batch
		observe(g, b.Observations, random.New(seed, random.Playout, worker, uint64(i)))
		f.batches = append(f.batches, b)
	}
	return f
}

// next waits for the oldest batch and starts it again.
func (f *flights) next() int {
	b := f.batches[f.oldest]
	f.oldest = (f.oldest + 1) % len(f.batches)
	switch {
	case f.async == nil:
		f.keep(f.evaluator.Evaluate(b))
	case !f.started:
		f.started = true
		f.keep(f.async.Evaluate(b))
		f.oldest = 0
		for _, b := range f.batches {
			f.async.Start(b)
		}
	default:
		f.keep(f.async.Wait(b))
		f.async.Start(b)
	}
	return b.N
}

// land waits for the batches in flight and closes the evaluator.
func (f *flights) land() error {
	if f.started {
		for i := range f.batches {
			f.keep(f.async.Wait(f.batches[(f.oldest+i)%len(f.batches)]))
		}
	}
	nn.Close(f.evaluator)
	return f.err
}

func (f *flights) keep(err error) {
	if f.err == nil {
		f.err = err
	}
}
