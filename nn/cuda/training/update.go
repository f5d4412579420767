package training

import (
	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// sums adds the launches that sum the squares of gradients and weights and the measures of the
// batch, and decide whether the step is taken, if there is one.
func (b *builder) sums(step bool) {
	sums := b.buffers.sums
	squares := func(x driver.Ptr, n int, to driver.Ptr) {
		b.kernel(kernels.TrainUpdate, "squares", squareBlocks, 1,
			driver.NewArgs().Ptr(x).Int64(int64(n)).Ptr(to))
	}
	squares(b.gradients, b.layout.learned, sums)
	squares(b.numbers, b.layout.weights, sums+8*squareBlocks)
	parts, at := b.measureParts(), sums+2*8*squareBlocks
	weights := driver.Ptr(0)
	if b.spec.Policy != nn.PolicyNone {
		weights = floats(b.input, b.inputs().weights)
	}
	b.kernel(kernels.TrainUpdate, "measure", parts, 1, driver.NewArgs().
		Ptr(b.buffers.losses).Int32(int32(b.spec.Players)).Ptr(b.policyLosses).Ptr(weights).
		Ptr(b.given(0)).Int32(measuredRows).Ptr(at))
	stopped := driver.Ptr(0)
	if step {
		stopped = b.output + driver.Ptr(resultStopped)
	}
	b.kernel(kernels.TrainUpdate, "decide", 1, 1, driver.NewArgs().
		Ptr(sums).Int32(squareBlocks).Ptr(at).Int32(int32(parts)).Ptr(b.given(0)).Ptr(b.flag(0)).
		Ptr(b.output).Ptr(b.decision()).Ptr(stopped))
}

func (b *builder) decision() driver.Ptr { return b.output + driver.Ptr(resultDecision) }

// update adds the launches that change parameters.
func (b *builder) update() {
	l, decay := b.layout, float32(2*b.config.L2)
	n, weights := int64(l.learned), int64(l.weights)
	if b.config.Optimizer == train.OptimizerSGD {
		b.each(kernels.TrainUpdate, "sgd", l.learned, driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(b.gradients).Int64(n).Int64(weights).
			Ptr(b.given(0)).Ptr(b.decision()).Float32(float32(b.config.Momentum)).Float32(decay))
	} else {
		b.each(kernels.TrainUpdate, "adam", l.learned, driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(floats(b.buffers.moments, l.learned)).
			Ptr(b.gradients).Int64(n).Int64(weights).Ptr(b.given(0)).Ptr(b.decision()).
			Float32(1-train.AdamBeta1).Float32(1-train.AdamBeta2).Float32(train.AdamEpsilon).
			Float32(decay))
	}
	average := func(to, x driver.Ptr, n, rate int) {
		b.each(kernels.TrainUpdate, "average", n, driver.NewArgs().
			Ptr(to).Ptr(x).Int64(int64(n)).Ptr(b.given(rate)).Ptr(b.decision()))
	}
	average(b.number(l.learned), b.statistics, l.layers*2*l.filters, givenNorm)
	if b.config.EMADecay > 0 {
		average(b.buffers.average, b.numbers, l.total, givenAverage)
	}
}
