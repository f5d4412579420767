package training

import (
	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// backward computes all gradients.
func (b *builder) backward() {
	b.valueBackward()
	if b.layout.maps > 0 {
		b.policyBackward()
	}
	b.auxiliaryBackward()
	b.outerParts()
	f, gated := b.layout.filters, false // by the product that gave it
	for layer := b.layout.layers - 1; layer >= 0; layer-- {
		// The gradients of second convolutions and the stem are in d, which keeps them as the
		// gradient of the block's input; those of first convolutions are in e.
		dy, y := b.d, driver.Ptr(0)
		if layer%2 == 1 {
			dy = b.e
		} else {
			y = b.outputOf(layer)
		}
		z, a := b.layerOf(b.z, layer), b.activationOf(layer)
		gamma := b.gradientOf(b.layout.gamma(layer))
		stretch := kernels.MomentStretch
		if !gated {
			stretch = kernels.NormStretch
			b.normStretches("norm_gate", a.add(driver.NewArgs().Ptr(y).Ptr(dy).Ptr(z)).
				Ptr(b.normPart).Int32(int32(b.positions)).Int32(int32(f)))
		}
		b.sumParts((f+kernels.NormJoined-1)/kernels.NormJoined, driver.NewArgs().
			Ptr(b.normPart).Int32(int32(b.positions)).Int32(int32(f)).Int32(int32(stretch)).
			Ptr(a.scale).Ptr(b.channelsOf(b.inverse, layer)).Ptr(gamma).Ptr(floats(gamma, f)).
			Ptr(b.slope).Ptr(b.shift))
		n := b.positions * f / 4
		args := driver.NewArgs().
			Ptr(dy).Ptr(z).Ptr(a.mean).Ptr(a.scale).Ptr(b.slope).Ptr(b.shift).Int64(int64(n)).
			Int32(int32(f)).Ptr(b.flag(flagGradient))
		var below norm
		if layer > 0 {
			below = norm{0, b.layerOf(b.z, layer-1), b.activationOf(layer - 1), b.normPart}
		}
		if layer > 0 && layer%2 == 0 {
			// The layer's input was not kept: it is in e until the product writes there.
			below.add(args.Ptr(below.z)).Ptr(b.e)
		} else {
			activation{}.add(args.Ptr(0)).Ptr(0)
		}
		b.each(kernels.TrainNorm, "norm_backward", n, args)

		l := &b.block
		if layer == 0 {
			l = &b.stem
		}
		b.gradient(l.gradient, b.inputOf(layer), z, b.layout.weight(layer))
		if layer == 0 {
			b.sumParts(0, noSlopes())
			break
		}
		// The product passes the gradient through the ReLU below, whose results may be in e, too.
		_, w := b.weightsOf(layer)
		if gated = l.backward.Norm(); !gated {
			below = norm{}
		} else {
			below.out = b.inputOf(layer)
		}
		if layer%2 == 0 {
			b.product(l.backward, z, w, 0, b.e, b.positions, below)
		} else {
			b.product(l.backward, z, w, b.d, b.d, b.positions, below)
		}
	}
}

// gradient computes the gradient of a product's weights, in parts that sumParts adds.
func (b *builder) gradient(g *kernels.Gradient, x, dz driver.Ptr, at int) {
	to := b.gradientOf(at)
	if g.Parts > 1 {
		to = b.sum(at, g.Layer.Weights(), g.Parts)
	}
	b.add(&g.Source, "gradient", g.Grid(),
		g.Shape(driver.NewArgs().Ptr(x).Ptr(dz).Ptr(to).Int32(int32(g.Positions)).
			Int32(int32(g.Length))))
	if few := b.few; few > 0 {
		b.sumParts(0, noSlopes())
		all := b.gradients
		b.gradients, b.few = b.kept, 0
		b.gradient(g.Over(g.Positions/b.config.Batch*few), x, dz, at)
		b.sumParts(0, noSlopes())
		b.gradients, b.few = all, few
	}
}

// sum is a sum of parts of n numbers of a gradient that is still to be made.
type sum struct {
	from, to driver.Ptr
	n, parts int
}

// sum returns the place for parts of n numbers of a gradient, which the next sumParts adds. Places
// of sums that are added together follow one another.
func (b *builder) sum(at, n, parts int) driver.Ptr {
	from := b.part
	if len(b.sums) > 0 {
		last := b.sums[len(b.sums)-1]
		from = floats(last.from, sumSize(last.n, last.parts))
	}
	b.sums = append(b.sums, sum{from, b.gradientOf(at), n, parts})
	return from
}

// sumSize returns the size of a sum's parts in floats; the next ones are aligned to 16 bytes.
func sumSize(n, parts int) int { return (n*parts + 3) / 4 * 4 }

// noSlopes returns the first arguments of sum_parts without the slopes of a BatchNorm.
func noSlopes() *driver.Args {
	return driver.NewArgs().Ptr(0).Int32(0).Int32(0).Int32(0).Ptr(0).Ptr(0).Ptr(0).Ptr(0).Ptr(0).
		Ptr(0)
}

// sumParts completes the sums, in one launch if they are not more than it has room for, and the
// slopes of a BatchNorm, of so many blocks. There may be nothing to do.
func (b *builder) sumParts(blocks int, args *driver.Args) {
	for blocks > 0 || len(b.sums) > 0 {
		list := b.sums[:min(len(b.sums), kernels.SumsAtOnce)]
		b.sums = b.sums[len(list):]
		for i := range kernels.SumsAtOnce {
			var s sum
			if i < len(list) {
				s = list[i]
			}
			args.Ptr(s.from).Ptr(s.to).Int64(int64(s.n)).Int32(int32(s.parts))
			blocks += (s.n + kernels.Summed - 1) / kernels.Summed
		}
		b.kernel(kernels.TrainNorm, "sum_parts", blocks, 1, args)
		blocks, args = 0, noSlopes()
	}
}

// outer is a sum of products over rows: Σ a·b, n × m numbers; each group of a's columns uses its
// own m columns of b.
type outer struct {
	a, b                              driver.Ptr
	rows, n, m, group, aRow, bRow, at int
}

// columnSums returns the sums of n columns of floats over rows, elementSums those of elements.
func columnSums(at int, x driver.Ptr, rows, n, row int) outer {
	return outer{x, 0, rows, n, 1, 1, row, 0, at}
}

func elementSums(at int, x driver.Ptr, rows, n, row int) outer {
	return outer{0, x, rows, 1, n, 1, 0, row, at}
}

// outerParts computes the parts of the outer sums, and leaves them to sumParts.
func (b *builder) outerParts() {
	for len(b.outers) > 0 {
		list := b.outers[:min(len(b.outers), kernels.OutersAtOnce)]
		b.outers = b.outers[len(list):]
		args, blocks := driver.NewArgs(), 0
		for i := range kernels.OutersAtOnce {
			var o outer
			count, length := 0, 1
			if i < len(list) {
				o = list[i]
				count, length = parts(o.rows, o.n*o.m)
				if from := b.sum(o.at, o.n*o.m, count); i == 0 {
					args.Ptr(from)
				}
			}
			args.Ptr(o.a).Ptr(o.b)
			for _, v := range []int{o.rows, length, o.n, o.m, o.group, o.aRow, o.bRow} {
				args.Int32(int32(v))
			}
			blocks += count * ((o.n*o.m + 255) / 256)
		}
		b.kernel(kernels.TrainHeads, "outer_parts", blocks, 1, args)
	}
}

// valueBackward computes d, the gradient of the trunk, from the gradient of the value's logits.
func (b *builder) valueBackward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	outputs := s.Players * s.Outputs()
	columns := l.width
	if len(s.Auxiliary.Belief) > 0 {
		columns = s.Players * s.Hidden
		b.beliefBackward()
	}
	b.hiddenBackward(b.dValue, l.output, 0, s.Players, s.Outputs(), columns)
	b.outers = append(b.outers,
		outer{b.dValue, b.hidden, rows, outputs, s.Hidden, s.Outputs(), outputs, l.width, l.output},
		columnSums(l.outputBias, b.dValue, rows, outputs, outputs),
		elementSums(l.hiddenBias, b.dHidden, rows, l.width, l.width))
	b.gradient(b.dense.gradient, b.trunk(), b.dHidden, l.hidden)
	_, w := b.denseWeights()
	b.product(b.dense.backward, b.dHidden, w, 0, b.d, rows, norm{})
}

// hiddenBackward computes the gradient of columns of the hidden layers, from the first on.
func (b *builder) hiddenBackward(d driver.Ptr, weight, first, players, outputs, columns int) {
	rows := b.config.Batch
	b.each(kernels.TrainHeads, "value_backward", rows*columns, driver.NewArgs().
		Ptr(d).Ptr(b.number(weight)).Ptr(b.elements(b.hidden, first)).
		Ptr(b.elements(b.dHidden, first)).Int32(int32(rows)).Int32(int32(players)).
		Int32(int32(b.spec.Hidden)).Int32(int32(outputs)).Int32(int32(b.layout.width)).
		Int32(int32(columns)))
}

// mapBackward adds to d the part of maps whose gradient is given for each position or, with cells,
// for each row.
func (b *builder) mapBackward(dots driver.Ptr, weight, maps, cells int) {
	n := b.positions * b.layout.filters / 4
	b.each(kernels.TrainHeads, "map_backward", n, driver.NewArgs().
		Ptr(dots).Ptr(b.number(weight)).Ptr(b.d).Int64(int64(n)).Int32(int32(b.layout.filters)).
		Int32(int32(maps)).Int32(int32(cells)))
}

// policyBackward adds the policy's part to d.
func (b *builder) policyBackward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	cells := s.Cells()
	if s.Policy == nn.PolicyDense {
		b.each(kernels.TrainHeads, "policy_dense_backward", rows*2*cells, driver.NewArgs().
			Ptr(b.dPolicy).Ptr(b.number(l.dense)).Ptr(b.policyHidden).Ptr(b.dDots).
			Int32(int32(rows)).Int32(int32(s.Actions)).Int32(int32(cells)))
		b.outers = append(b.outers,
			outer{b.dPolicy, b.policyHidden, rows, s.Actions, 2 * cells, s.Actions, s.Actions,
				2 * cells, l.dense},
			columnSums(l.denseBias, b.dPolicy, rows, s.Actions, s.Actions))
	} else {
		b.each(kernels.TrainHeads, "policy_spread", b.positions*l.maps, driver.NewArgs().
			Ptr(b.dPolicy).Ptr(b.dDots).Int32(int32(rows)).Int32(int32(cells)).Int32(int32(l.maps)))
	}
	b.outers = append(b.outers,
		outer{b.dDots, b.trunk(), b.positions, l.maps, l.filters, l.maps, l.maps,
			l.filters, l.policy},
		columnSums(l.policyBias, b.dDots, b.positions, l.maps, l.maps))
	b.mapBackward(b.dDots, l.policy, l.maps, 1)
}
