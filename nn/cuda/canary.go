package cuda

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

// canaryEvery is the time between two evaluations of a canary.
const canaryEvery = time.Minute

// canary is a batch that fills the device and a network of random numbers, which are evaluated from
// time to time: the results must have the bits that they had at first. It detects a device that
// computes wrongly without the driver's knowing.
type canary struct {
	due            atomic.Int64 // Unix nanoseconds; the largest number: it is evaluated, or never
	wrong          atomic.Pointer[driver.LostError]
	evaluator      *Evaluator
	batch          *nn.Batch
	policy, values []float32 // at first
}

// watch evaluates the network's canary, if it is due. A device that computes wrongly is as good as
// lost: the error is a driver.LostError.
func (n *network) watch() error {
	c, now := &n.canary, time.Now()
	if err := c.wrong.Load(); err != nil {
		return err
	}
	due := c.due.Load()
	if now.UnixNano() < due || !c.due.CompareAndSwap(due, math.MaxInt64) {
		return nil
	}
	err := c.evaluate(n)
	switch {
	case driver.Lost(err):
		return err
	case err != nil:
		n.device.o.Log.Warn("the device's results are not checked from time to time", "device",
			n.device.info.Name, "err", err)
		return nil
	}
	c.due.Store(now.Add(canaryEvery).UnixNano())
	return nil
}

// evaluate evaluates the batch, and compares its results with the first.
func (c *canary) evaluate(n *network) error {
	first := c.batch == nil
	if first {
		rng := checkSource()
		_, w, err := n.random(rng)
		if err != nil {
			return err
		}
		rows := n.plan.Round(&n.device.info)
		if n.device.info.Emulated { // a thousandth as fast
			rows = 3
		}
		c.evaluator = NewEvaluator(w)
		c.batch = c.evaluator.NewBatch(rows)
		nn.RandomObservations(c.batch.Observations, rng)
		c.batch.N = rows
	}
	if err := c.evaluator.Evaluate(c.batch); err != nil {
		return err
	}
	if first {
		c.policy, c.values = slices.Clone(c.batch.Policy), slices.Clone(c.batch.Values)
	} else if !sameBits(c.batch.Policy, c.policy) || !sameBits(c.batch.Values, c.values) {
		err := &driver.LostError{
			Device: n.device.info.Name, Call: "the same batch again",
			Reason: "other results than before: the device computes wrongly",
		}
		c.wrong.Store(err)
		return err
	}
	return nil
}
