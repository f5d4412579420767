package training

import (
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// Indices of the optimizer's arguments that change.
const (
	sgdRate, sgdScale, sgdKeep                    = 5, 7, 9
	adamRate, adamCorrection, adamScale, adamKeep = 6, 9, 11, 13
	averageRate                                   = 3
)

// update adds the launches that change parameters.
func (b *builder) update() {
	l, decay := b.layout, float32(2*b.config.L2)
	n, weights := int64(l.learned), int64(l.weights)
	b.to = &b.programs.solver
	if b.config.Optimizer == train.OptimizerSGD {
		b.each(kernels.TrainUpdate, "sgd", l.learned, driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(b.gradients).Int64(n).Int64(weights).
			Float32(0).Float32(float32(b.config.Momentum)).Float32(1).Float32(decay).Float32(1))
	} else {
		b.each(kernels.TrainUpdate, "adam", l.learned, driver.NewArgs().
			Ptr(b.numbers).Ptr(b.buffers.moments).Ptr(floats(b.buffers.moments, l.learned)).
			Ptr(b.gradients).Int64(n).Int64(weights).
			Float32(0).Float32(1-train.AdamBeta1).Float32(1-train.AdamBeta2).Float32(1).
			Float32(train.AdamEpsilon).Float32(1).Float32(decay).Float32(1))
	}
	b.to = &b.programs.running
	statistics := l.layers * 2 * l.filters
	b.each(kernels.TrainUpdate, "average", statistics, driver.NewArgs().
		Ptr(b.number(l.learned)).Ptr(b.statistics).Int64(int64(statistics)).
		Float32(train.NormMomentum))
	if b.config.EMADecay > 0 {
		b.to = &b.programs.average
		b.each(kernels.TrainUpdate, "average", l.total, driver.NewArgs().
			Ptr(b.buffers.average).Ptr(b.numbers).Int64(int64(l.total)).Float32(0))
	}
}
