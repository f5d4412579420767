package cuda

import (
	"time"

	"tengen/nn"
	"tengen/nn/cuda/kernels"
)

// LoadPlan is Device.Load with the given plan.
func LoadPlan(d *Device, plan *kernels.Inference, p *nn.Params) (*Weights, error) {
	n, err := d.compile(plan)
	if err != nil {
		return nil, err
	}
	return n.load(p)
}

// BeginTrial is Device.beginTrial without patience.
func BeginTrial(d *Device, plan *kernels.Inference) (end func(error), err error) {
	before := trialPatience
	trialPatience = 0
	defer func() { trialPatience = before }()
	return d.beginTrial(plan.Source())
}

// FullFrom sets the number of rows under way from which on small batches wait for others.
func FullFrom(w *Weights, rows int) { w.network.packs.Most = rows }

// Packed returns how many batches of a network were evaluated in packs.
func Packed(w *Weights) int { return w.network.packs.Packed() }

// PollFor sets how long batches of few rows are polled for, and returns a function that sets it
// back.
func PollFor(d time.Duration) (back func()) {
	before := pollTime
	pollTime = d
	return func() { pollTime = before }
}

// Poll counts goroutines that poll for batches of a device.
func Poll(d *Device, n int32) { d.polling.Add(n) }

// Towers has a network's launches computed by its tower for few rows, or by the other; it returns
// false if there is none for few.
func Towers(w *Weights, few bool) bool {
	w.network.always = map[bool]towerSize{false: largeTower, true: fewTower}[few]
	return w.network.few != 0
}

// CanaryIsDue has the next evaluation check the device.
func CanaryIsDue(w *Weights) { w.network.canary.due.Store(0) }

// Launched returns how many blocks of a launch count as under way, and into how many parts the sums
// of its hidden layers are split.
func Launched(e *Evaluator, b *nn.Batch) (blocks int64, split int) {
	in := e.batches[b]
	return in.blocks.Load(), in.network.plan.Heads.Split(b.N, in.idle)
}

// Blocks returns how many blocks of all launches count as under way.
func Blocks(e *Evaluator) int64 { return e.device.blocks.Load() }
