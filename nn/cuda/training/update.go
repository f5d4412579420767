package training

import (
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// summed returns the array of gradients that the update reads: their sum over the devices.
func (b *builder) summed() driver.Ptr {
	if b.devices > 1 {
		return b.joined
	}
	return b.gradients
}

// refused returns the address after an array's gradients and statistics.
func (b *builder) refused(array driver.Ptr) driver.Ptr { return floats(array, b.exchanged()-64) }

// squares adds the launch that sums the squares of gradients and weights.
func (b *builder) squares() {
	b.kernel(kernels.TrainUpdate, "squares", b.squareParts(), 2, driver.NewArgs().
		Ptr(b.summed()).Int64(int64(b.layout.learned)).Ptr(b.numbers).
		Int64(int64(b.layout.weights)).Ptr(b.buffers.sums))
}

// measured returns the address of the partial sums of measures.
func (b *builder) measured() driver.Ptr {
	return b.buffers.sums + driver.Ptr(2*8*b.squareParts())
}

// measure adds the launch that sums the measures of the batch.
func (b *builder) measure() {
	in := b.inputs()
	b.kernel(kernels.TrainUpdate, "measure", b.measureParts(), 1, driver.NewArgs().
		Ptr(b.buffers.losses).Int32(int32(b.spec.Players)).Ptr(b.policyLosses).
		Ptr(floats(b.input, in.policyWeight)).Ptr(b.given(0)).Int32(measuredRows).
		Ptr(b.measured()).Ptr(floats(b.input, in.labelWeight)).Ptr(b.cellLosses).
		Ptr(b.seatLosses).Ptr(floats(b.input, in.factWeight)).Ptr(b.beliefMeasures))
}

// judge adds the launch that tells the other devices whether this one refuses its part of the
// batch; join adds the one that adds a shard of all devices' gradients.
func (b *builder) judge() {
	b.kernel(kernels.TrainUpdate, "judge", 1, 1, driver.NewArgs().
		Ptr(b.measured()).Int32(int32(b.measureParts())).Ptr(b.flag(0)).
		Ptr(b.refused(b.gradients)))
}

func (b *builder) join() {
	if from, n := b.shard(b.index); n > 0 {
		b.each(kernels.TrainUpdate, "join", n, driver.NewArgs().
			Ptr(b.shards).Ptr(floats(b.joined, from)).Int64(int64(n)).Int32(int32(b.devices)).
			Int64(int64(b.layout.learned-from)))
	}
}

// decide adds the launch that completes the sums and decides whether the step is taken, if there is
// one.
func (b *builder) decide(step bool) {
	stopped, refused := driver.Ptr(0), driver.Ptr(0)
	if step {
		stopped = b.output + driver.Ptr(resultStopped)
		if b.devices > 1 {
			refused = b.refused(b.joined)
		}
	}
	b.kernel(kernels.TrainUpdate, "decide", 1, 1, driver.NewArgs().
		Ptr(b.buffers.sums).Int32(int32(b.squareParts())).
		Ptr(b.measured()).Int32(int32(b.measureParts())).
		Ptr(b.given(0)).Ptr(b.flag(0)).Ptr(refused).Ptr(b.output).Ptr(b.decision()).Ptr(stopped))
}

func (b *builder) decision() driver.Ptr { return b.output + driver.Ptr(resultDecision) }

// update adds the launch that changes parameters, running statistics and the average.
func (b *builder) update() {
	l, decay := b.layout, float32(2*b.config.L2)
	n, weights := int64(l.learned), int64(l.weights)
	rest := func(args *driver.Args) *driver.Args {
		return args.Ptr(b.buffers.average).Int64(int64(l.layers * 2 * l.filters)).
			Int64(int64(l.total))
	}
	if b.config.Optimizer == train.OptimizerSGD {
		b.each(kernels.TrainUpdate, "sgd", l.total, rest(driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(b.summed()).Int64(n).Int64(weights).
			Ptr(b.given(0)).Ptr(b.decision()).Float32(float32(b.config.Momentum)).Float32(decay)))
	} else {
		b.each(kernels.TrainUpdate, "adam", l.total, rest(driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(floats(b.buffers.moments, l.learned)).
			Ptr(b.summed()).Int64(n).Int64(weights).Ptr(b.given(0)).Ptr(b.decision()).
			Float32(1-train.AdamBeta1).Float32(1-train.AdamBeta2).Float32(train.AdamEpsilon).
			Float32(decay)))
	}
}
