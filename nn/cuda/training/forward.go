package training

import (
	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// weightsOf returns the addresses of a convolution's packed weights: the stem's, the blocks' and
// the dense layer's for the forward pass, the blocks' and the dense layer's for the backward
// pass.
func (b *builder) weightsOf(layer int) (forward, backward driver.Ptr) {
	if layer == 0 {
		return b.forwardWeights(0), 0
	}
	size := b.block.forward.Layer.Weights()
	return b.forwardWeights(b.stem.forward.Layer.Weights() + (layer-1)*size),
		b.elements(b.buffers.backward, (layer-1)*size)
}

func (b *builder) forwardWeights(n int) driver.Ptr { return b.elements(b.buffers.forward, n) }

func (b *builder) denseWeights() (forward, backward driver.Ptr) {
	n := 0
	if b.spec.Blocks > 0 {
		n = 2 * b.spec.Blocks * b.block.forward.Layer.Weights()
	}
	return b.forwardWeights(b.stem.forward.Layer.Weights() + n), b.elements(b.buffers.backward, n)
}

func (b *builder) packWeights() {
	tiles := func(layer kernels.Layer) int {
		return layer.Taps * ((layer.In + 31) / 32) * ((layer.Out + 31) / 32)
	}
	l, dense := b.layout, b.dense.forward.Layer
	n := tiles(b.stem.forward.Layer) + tiles(dense)
	if b.spec.Blocks > 0 {
		n += 2 * b.spec.Blocks * tiles(b.block.forward.Layer)
	}
	b.kernel(kernels.TrainUpdate, "pack", n, 1, driver.NewArgs().
		Ptr(b.number(l.stem)).Ptr(b.buffers.forward).Ptr(b.buffers.backward).
		Int32(int32(l.taps)).Int32(int32(l.planes)).Int32(int32(l.filters)).
		Int32(int32(2*b.spec.Blocks)).Int64(int64(l.blocks-l.stem)).Int32(int32(dense.In)).
		Int32(int32(dense.Out)).Int64(int64(l.hidden-l.stem)))
}

// norm is the part of a product in BatchNorm (train_product.cu); none if it is zero.
type norm struct {
	out, z driver.Ptr
	activation
	part driver.Ptr
}

// activation is what makes a layer's activations of its results before BatchNorm, but for the skip.
type activation struct{ mean, scale, beta driver.Ptr }

func (a activation) add(args *driver.Args) *driver.Args {
	return args.Ptr(a.mean).Ptr(a.scale).Ptr(a.beta)
}

func (b *builder) product(p *kernels.Product, x, w, add, y driver.Ptr, positions int, n norm) {
	b.add(&p.Source, "product", p.Grid(positions), productArgs(p, x, w, add, y, positions, n))
}

// productArgs returns the arguments of a product.
func productArgs(
	p *kernels.Product, x, w, add, y driver.Ptr, positions int, n norm,
) *driver.Args {
	args := driver.NewArgs().Ptr(x).Ptr(w).Ptr(add).Ptr(y).Int32(int32(positions))
	if p.Norm() {
		n.add(args.Ptr(n.out).Ptr(n.z)).Ptr(n.part)
	}
	return p.Shape(args)
}

// inputOf returns a layer's input: the observations, or the activations before it. Those of a first
// convolution are in e for a while, where they are needed.
func (b *builder) inputOf(layer int) driver.Ptr {
	switch {
	case layer == 0:
		return b.observed
	case layer%2 == 0:
		return b.e
	}
	return b.outputOf(layer - 1)
}

// outputOf returns the activations of the stem or of a second convolution: of a block.
func (b *builder) outputOf(layer int) driver.Ptr { return b.layerOf(b.y, layer/2) }

// trunk returns the activations of the last layer.
func (b *builder) trunk() driver.Ptr { return b.outputOf(b.layout.layers - 1) }

// activates reports whether second convolutions make the activations of the first ones of their
// results themselves.
func (b *builder) activates() bool { return b.spec.Blocks > 0 && b.block.forward.Activates() }

// skipOf returns what is added after a layer's BatchNorm: the block's input, for its second
// convolution.
func (b *builder) skipOf(layer int) driver.Ptr {
	if layer == 0 || layer%2 == 1 {
		return 0
	}
	return b.outputOf(layer - 2)
}

// activationOf returns a layer's activation with the batch's statistics.
func (b *builder) activationOf(layer int) activation {
	return activation{b.statisticsOf(layer), b.channelsOf(b.scale, layer),
		b.number(b.layout.gamma(layer) + b.layout.filters)}
}

// forward computes the logits.
func (b *builder) forward(training bool) {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	f, cells := int32(l.filters), s.Cells()
	b.each(kernels.TrainUpdate, "observe", b.positions*l.planes, driver.NewArgs().
		Ptr(b.input).Ptr(b.observed).Int64(int64(b.positions)).Int32(int32(s.Planes)).
		Int32(int32(cells)).Int32(int32(l.planes)).Ptr(b.flag(flagObservation)))
	var below activation // of the layer before
	for layer := range l.layers {
		p := b.block.forward
		if layer == 0 {
			p = b.stem.forward
		}
		w, _ := b.weightsOf(layer)
		z, gamma := b.layerOf(b.z, layer), b.number(l.gamma(layer))
		a, scale := b.activationOf(layer), b.channelsOf(b.scale, layer)
		moments, stretch, x := norm{}, kernels.NormStretch, b.inputOf(layer)
		if training && p.Norm() {
			moments.part, stretch = b.normPart, kernels.MomentStretch
		}
		if layer > 0 && layer%2 == 0 && b.activates() {
			x, moments.activation = b.layerOf(b.z, layer-1), below
		}
		b.product(p, x, w, 0, z, b.positions, moments)
		if training {
			if !p.Norm() {
				b.normStretches("norm_moments",
					driver.NewArgs().Ptr(z).Ptr(b.normPart).Int32(int32(b.positions)).Int32(f))
			}
			b.kernel(kernels.TrainNorm, "norm_join",
				(l.filters+kernels.NormJoined-1)/kernels.NormJoined, 1, driver.NewArgs().
					Ptr(b.normPart).Int32(int32(b.positions)).Int32(f).Int32(int32(stretch)).
					Ptr(gamma).Float32(nn.NormEpsilon).
					Ptr(a.mean).Ptr(scale).Ptr(b.channelsOf(b.inverse, layer)).
					Ptr(b.flag(flagStatistics)))
		} else {
			a.mean = b.number(l.mean(layer))
			b.each(kernels.TrainNorm, "norm_running", l.filters,
				driver.NewArgs().Ptr(a.mean).Int32(f).Ptr(gamma).Float32(nn.NormEpsilon).Ptr(scale))
		}
		below = a
		y := b.outputOf(layer)
		if layer%2 == 1 {
			if y = b.e; b.activates() {
				continue
			}
		}
		n := b.positions * l.filters / 4
		b.each(kernels.TrainNorm, "norm_apply", n, a.add(driver.NewArgs().
			Ptr(z).Ptr(b.skipOf(layer)).Ptr(y)).Int64(int64(n)).Int32(f))
	}
	w, _ := b.denseWeights()
	b.product(b.dense.forward, b.trunk(), w, 0, b.hidden, rows, norm{})
	b.each(kernels.TrainHeads, "hidden_relu", rows*l.width, driver.NewArgs().
		Ptr(b.hidden).Ptr(b.number(l.hiddenBias)).Int64(int64(rows*l.width)).Int32(int32(l.width)))
	b.valueLogits(b.hidden, l.output, l.outputBias, b.value, s.Players, s.Hidden, s.Outputs(),
		l.width)
	b.auxiliaryForward()
	if l.maps == 0 {
		return
	}
	b.mapDots(l.policy, 0, b.dots, l.maps)
	bias := b.number(l.policyBias)
	if s.Policy != nn.PolicyDense {
		b.each(kernels.TrainHeads, "policy_logits", rows*s.Actions, driver.NewArgs().
			Ptr(b.dots).Ptr(bias).Ptr(b.policy).Int32(int32(rows)).Int32(int32(cells)).
			Int32(int32(l.maps)))
		return
	}
	b.each(kernels.TrainHeads, "policy_hidden", rows*2*cells, driver.NewArgs().
		Ptr(b.dots).Ptr(bias).Ptr(b.policyHidden).Int32(int32(rows)).Int32(int32(cells)))
	b.each(kernels.TrainHeads, "policy_dense", rows*s.Actions, driver.NewArgs().
		Ptr(b.policyHidden).Ptr(b.number(l.dense)).Ptr(b.number(l.denseBias)).Ptr(b.policy).
		Int32(int32(rows)).Int32(int32(s.Actions)).Int32(int32(cells)))
}

// normStretches launches a kernel whose blocks have NormStretch positions and 128 channels.
func (b *builder) normStretches(name string, args *driver.Args) {
	b.kernel(kernels.TrainNorm, name, (b.positions+kernels.NormStretch-1)/kernels.NormStretch,
		(b.layout.filters+127)/128, args)
}

// valueLogits computes the logits of players from their parts of rows of width numbers.
func (b *builder) valueLogits(
	x driver.Ptr, weight, bias int, logits driver.Ptr, players, hidden, outputs, width int,
) {
	rows := b.config.Batch
	b.each(kernels.TrainHeads, "value_logits", rows*players*outputs, driver.NewArgs().
		Ptr(x).Ptr(b.number(weight)).Ptr(b.number(bias)).Ptr(logits).Int32(int32(rows)).
		Int32(int32(players)).Int32(int32(hidden)).Int32(int32(outputs)).Int32(int32(width)))
}

// mapDots computes a 1×1 convolution over the trunk; bias may be null.
func (b *builder) mapDots(weight int, bias, dots driver.Ptr, maps int) {
	b.each(kernels.TrainHeads, "map_dots", 32*b.positions, driver.NewArgs().
		Ptr(b.trunk()).Ptr(b.number(weight)).Ptr(bias).Ptr(dots).
		Int32(int32(b.positions)).Int32(int32(b.layout.filters)).Int32(int32(maps)))
}

// losses computes losses, measures, and the gradients of the logits.
func (b *builder) losses() {
	s, rows, in := &b.spec, b.config.Batch, b.inputs()
	constant := float32(b.config.ValueWeight / float64(rows*b.devices*s.Players))
	target := floats(b.input, in.value)
	if s.Value == nn.ValueCategorical {
		b.each(kernels.TrainHeads, "softmax_loss", 32*rows*s.Players, driver.NewArgs().
			Ptr(b.value).Ptr(target).Ptr(0).Ptr(0).Float32(constant).Ptr(b.support).
			Int32(int32(rows)).Int32(int32(s.Players)).Int32(int32(s.Outputs())).
			Ptr(b.dValue).Ptr(b.buffers.losses))
	} else {
		b.each(kernels.TrainHeads, "squared_loss", rows*s.Players, driver.NewArgs().
			Ptr(b.value).Ptr(target).Float32(constant).Int64(int64(rows*s.Players)).Ptr(b.dValue).
			Ptr(b.buffers.losses))
	}
	if b.layout.maps > 0 {
		args := func() *driver.Args {
			return driver.NewArgs().Ptr(b.policy).Ptr(floats(b.input, in.policy)).
				Ptr(floats(b.input, in.policyWeight)).Ptr(b.given(givenPolicy))
		}
		b.each(kernels.TrainHeads, "softmax_loss", 32*rows, args().
			Float32(0).Ptr(0).Int32(int32(rows)).Int32(1).
			Int32(int32(s.Actions)).Ptr(b.dPolicy).Ptr(b.policyLosses))
		if b.config.PolicyLogits {
			b.each(kernels.TrainHeads, "logit_loss", 32*rows, args().Int32(int32(rows)).
				Int32(int32(s.Actions)).Ptr(b.dPolicy).Ptr(b.policyLosses))
		}
	}
	b.auxiliaryLosses()
}
