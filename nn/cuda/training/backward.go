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
	f, gated := b.layout.filters, false // by the product that gave it
	for layer := b.layout.layers - 1; layer >= 0; layer-- {
		// The gradients of second convolutions and the stem are in d, which keeps them as the
		// gradient of the block's input; those of first convolutions are in e.
		dy := b.d
		if layer%2 == 1 {
			dy = b.e
		}
		z, mean := b.layerOf(b.z, layer), b.statisticsOf(layer)
		scale, inverse := b.channelsOf(b.scale, layer), b.channelsOf(b.inverse, layer)
		gamma := b.gradientOf(b.layout.gamma(layer))
		stretch := kernels.MomentStretch
		if !gated {
			stretch = kernels.NormStretch
			b.normStretches("norm_gate", driver.NewArgs().
				Ptr(b.layerOf(b.y, layer)).Ptr(dy).Ptr(z).Ptr(mean).Ptr(b.part).
				Int32(int32(b.positions)).Int32(int32(f)))
		}
		b.kernel(kernels.TrainNorm, "norm_slopes", (f+kernels.NormJoined-1)/kernels.NormJoined, 1,
			driver.NewArgs().
				Ptr(b.part).Int32(int32(b.positions)).Int32(int32(f)).Int32(int32(stretch)).
				Ptr(scale).Ptr(inverse).Ptr(gamma).Ptr(floats(gamma, f)).Ptr(b.slope).Ptr(b.shift))
		n := b.positions * f / 4
		b.each(kernels.TrainNorm, "norm_backward", n, driver.NewArgs().
			Ptr(dy).Ptr(z).Ptr(mean).Ptr(scale).Ptr(b.slope).Ptr(b.shift).Int64(int64(n)).
			Int32(int32(f)).Ptr(b.flag(flagGradient)))

		l := &b.block
		if layer == 0 {
			l = &b.stem
		}
		b.gradient(l.gradient, b.inputOf(layer), z, b.layout.weight(layer))
		if layer == 0 {
			break
		}
		// The product passes the gradient through the ReLU below.
		_, w := b.weightsOf(layer)
		var gate norm
		if gated = l.backward.Norm(); gated {
			gate = norm{
				b.layerOf(b.y, layer-1), b.layerOf(b.z, layer-1), b.statisticsOf(layer - 1), b.part,
			}
		}
		if layer%2 == 0 {
			b.product(l.backward, z, w, 0, b.e, b.positions, gate)
		} else {
			b.product(l.backward, z, w, b.d, b.d, b.positions, gate)
		}
	}
}

// gradient computes the gradient of a product's weights.
func (b *builder) gradient(g *kernels.Gradient, x, dz driver.Ptr, at int) {
	to := b.part
	if g.Parts == 1 {
		to = b.gradientOf(at)
	}
	b.add(&g.Source, "gradient", g.Grid(),
		g.Shape(driver.NewArgs().Ptr(x).Ptr(dz).Ptr(to).Int32(int32(g.Positions)).
			Int32(int32(g.Length))))
	if g.Parts > 1 {
		b.sum(at, g.Layer.Weights(), g.Parts)
	}
}

// sum adds the parts of n numbers of a gradient.
func (b *builder) sum(at, n, parts int) {
	b.kernel(kernels.TrainUpdate, "sum_parts", (n+127)/128, 1, driver.NewArgs().
		Ptr(b.part).Ptr(b.gradientOf(at)).Int64(int64(n)).Int32(int32(parts)))
}

// outer computes Σ a·b over rows, n × m numbers; each group of a's columns uses its own m columns
// of b.
func (b *builder) outer(at int, x, y driver.Ptr, rows, n, m, group, xRow, yRow int) {
	count, length := parts(rows, n*m)
	b.kernel(kernels.TrainHeads, "outer_parts", (n*m+255)/256, count, driver.NewArgs().
		Ptr(x).Ptr(y).Ptr(b.part).Int32(int32(rows)).Int32(int32(length)).
		Int32(int32(n)).Int32(int32(m)).Int32(int32(group)).Int32(int32(xRow)).Int32(int32(yRow)))
	b.sum(at, n*m, count)
}

// columns computes Σ x over rows of n columns; kernel is the one for floats or for elements.
func (b *builder) columns(kernel string, at int, x driver.Ptr, rows, n, row int) {
	count, length := columnParts(rows)
	b.kernel(kernels.TrainHeads, kernel, n, count, driver.NewArgs().
		Ptr(x).Ptr(b.part).Int32(int32(rows)).Int32(int32(length)).Int32(int32(row)))
	b.sum(at, n, count)
}

// valueBackward computes d, the gradient of the trunk, from the gradient of the value's logits.
func (b *builder) valueBackward() {
	s, l, rows := &b.spec, b.layout, b.config.Batch
	outputs := s.Players * s.Outputs()
	trunk := b.layerOf(b.y, l.layers-1)
	columns := l.width
	if len(s.Auxiliary.Belief) > 0 {
		columns = s.Players * s.Hidden
		b.beliefBackward()
	}
	b.hiddenBackward(b.dValue, l.output, 0, s.Players, s.Outputs(), columns)
	b.outer(l.output, b.dValue, b.hidden, rows, outputs, s.Hidden, s.Outputs(), outputs, l.width)
	b.columns("column_parts", l.outputBias, b.dValue, rows, outputs, outputs)
	b.columns("element_column_parts", l.hiddenBias, b.dHidden, rows, l.width, l.width)
	b.gradient(b.dense.gradient, trunk, b.dHidden, l.hidden)
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
		b.outer(l.dense, b.dPolicy, b.policyHidden, rows, s.Actions, 2*cells, s.Actions,
			s.Actions, 2*cells)
		b.columns("column_parts", l.denseBias, b.dPolicy, rows, s.Actions, s.Actions)
	} else {
		b.each(kernels.TrainHeads, "policy_spread", b.positions*l.maps, driver.NewArgs().
			Ptr(b.dPolicy).Ptr(b.dDots).Int32(int32(rows)).Int32(int32(cells)).Int32(int32(l.maps)))
	}
	b.outer(l.policy, b.dDots, b.layerOf(b.y, l.layers-1), b.positions, l.maps, l.filters, l.maps,
		l.maps, l.filters)
	b.columns("column_parts", l.policyBias, b.dDots, b.positions, l.maps, l.maps)
	b.mapBackward(b.dDots, l.policy, l.maps, 1)
}
