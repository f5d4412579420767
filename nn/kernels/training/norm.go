package training

import "math"

// measure replaces the sum of a tile's values, with which moments begins, by the tile's
// moments: a mean m, and the sums of (y − m) and of its square. This second pass over values
// that are still cached makes a small variance exact even if the mean is large; the sum of
// (y − m) corrects for the rounding of m.
func (t *Trunk) measure(moments, values []float32, n int) {
	for c := range lanes {
		moments[c] /= float32(n)
	}
	mean, sums := &moments[atMean], &moments[lanes]
	if n >= 8 {
		t.deviationsOf8(&values[0], mean, sums, n/8)
	}
	if rest := n % 8; rest > 0 {
		t.deviations(&values[(n-rest)*lanes], mean, sums, rest)
	}
}

// filters returns the range of block b's filters, from ≤ c < to.
func (t *Trunk) filters(b int) (from, to int) { return b * lanes, min((b+1)*lanes, t.Filters) }

// mergeMoments merges the groups' moments of filter block b in order (Chan, Golub, LeVeque 1979).
func (t *Trunk) mergeMoments(l *layer, b int, mean, variance []float32) {
	for c, to := t.filters(b); c < to; c++ {
		var count, m, squares float64
		for g := range t.groups() {
			s := l.moments[(g*t.out+c/lanes)*3*lanes+c%lanes:]
			n := float64(t.positions(g) * t.cells())
			first := float64(s[lanes])
			delta := float64(s[0]) + first/n - m
			squares += float64(s[2*lanes]) - first*first/n + delta*delta*count*n/(count+n)
			m += delta * n / (count + n)
			count += n
		}
		mean[c], variance[c] = float32(m), float32(max(squares/count, 0))
	}
}

// normalise sets the coefficients of the forward pass for filter block b of a layer; in training
// it computes the statistics first.
func (t *Trunk) normalise(index, b int, with *Layer) {
	l := &t.layers[index]
	if t.training {
		t.mergeMoments(l, b, with.Mean, with.Variance)
	}
	for c, to := t.filters(b); c < to; c++ {
		l.inverse[c] = 1 / math.Sqrt(float64(with.Variance[c])+t.epsilon)
		k := l.coef[c/lanes*coefficients*lanes+c%lanes:]
		k[atMean] = with.Mean[c]
		k[atScale] = float32(float64(with.Gamma[c]) * l.inverse[c])
		k[atShift] = with.Beta[c]
	}
}

// differentiate sets the coefficients of the backward pass for filter block b, and the gradients
// of its γ and β: with g the gradient of BatchNorm's output, x̂ = (y − mean)/√(variance + ε)
// and M cells in the batch,
//
//	dβ = Σ g,  dγ = Σ g·x̂,  dy = γ/√(variance + ε) · (g − dβ/M − x̂·dγ/M).
func (t *Trunk) differentiate(l *layer, b int, gamma []float32, to *Gradient) {
	m := float64(t.Rows * t.cells())
	for c, end := t.filters(b); c < end; c++ {
		var sum, product float64
		for g := range t.groups() {
			s := l.slopeSums[(g*t.out+c/lanes)*2*lanes+c%lanes:]
			sum += float64(s[0])
			product += float64(s[lanes])
		}
		product *= l.inverse[c]
		to.Gamma[c], to.Beta[c] = float32(product), float32(sum)
		scale := float64(gamma[c]) * l.inverse[c]
		k := l.coef[c/lanes*coefficients*lanes+c%lanes:]
		k[atGrad] = float32(scale)
		k[atValue] = float32(-scale * l.inverse[c] * product / m)
		k[atConst] = float32(-scale * sum / m)
	}
}
