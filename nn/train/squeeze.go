package train

import (
	"math"

	"tengen/nn/internal/conv"
)

// excitation computes a block's squeeze-and-excitation, and the block's end: ReLU(σ(scale·h)·z + shift·h +
// skip), where h = ReLU(squeeze·z̄) and z̄ is the mean of z over cells. Inputs: z and skip [rows, cells·channels],
// cell-major; then weights [outputs, inputs] and biases of squeeze, scale and shift. It is the
// plain form of what the fused trunk does.
type excitation[T conv.Float] struct {
	rows, cells, channels, units, workers int

	mean, hidden, scale, shift []T // [rows] of channels or units
	dz                         []T // of each row, the gradient of mean
	dHidden, dScale, dShift    []T // gradients of what goes into ReLU, σ, and of shift
}

// Inputs of an excitation.
const (
	excitedZ = iota
	excitedSkip
	squeezeWeight
	squeezeBias
	scaleWeight
	scaleBias
	shiftWeight
	shiftBias
	excitationInputs
)

func newExcitation[T conv.Float](rows, cells, channels, units, workers int) *excitation[T] {
	l := &excitation[T]{rows: rows, cells: cells, channels: channels, units: units, workers: workers}
	for _, p := range []*[]T{&l.mean, &l.scale, &l.shift, &l.dz, &l.dScale, &l.dShift} {
		*p = make([]T, rows*channels)
	}
	l.hidden, l.dHidden = make([]T, rows*units), make([]T, rows*units)
	return l
}

// affine computes y = x·Wᵀ + b.
func affine[T conv.Float](x, w, b, y []T) {
	for o := range y {
		sum := b[o]
		for i, v := range x {
			sum += w[o*len(x)+i] * v
		}
		y[o] = sum
	}
}

func (l *excitation[T]) forward(in [][]T, y []T) {
	z, skip, n, stride := in[excitedZ], in[excitedSkip], l.channels, l.cells*l.channels
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			row, mean, hidden := z[r*stride:][:stride], l.mean[r*n:][:n], l.hidden[r*l.units:][:l.units]
			clear(mean)
			for i, v := range row {
				mean[i%n] += v
			}
			for c := range mean {
				mean[c] /= T(l.cells)
			}
			affine(mean, in[squeezeWeight], in[squeezeBias], hidden)
			for i, v := range hidden {
				hidden[i] = max(v, 0)
			}
			scale, shift := l.scale[r*n:][:n], l.shift[r*n:][:n]
			affine(hidden, in[scaleWeight], in[scaleBias], scale)
			affine(hidden, in[shiftWeight], in[shiftBias], shift)
			for c, v := range scale {
				scale[c] = T(1 / (1 + math.Exp(-float64(v))))
			}
			for i, v := range row {
				y[r*stride+i] = max(v*scale[i%n]+shift[i%n]+skip[r*stride+i], 0)
			}
		}
	})
}

func (l *excitation[T]) backward(in [][]T, y, dy []T, dIn [][]T) {
	z, n, stride := in[excitedZ], l.channels, l.cells*l.channels
	g := dIn[excitedSkip] // the gradient through the ReLU
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		gate(y[from*stride:to*stride], dy[from*stride:], g[from*stride:], true)
		for r := from; r < to; r++ {
			dScale, dShift := l.dScale[r*n:][:n], l.dShift[r*n:][:n]
			clear(dScale)
			clear(dShift)
			row, scale := g[r*stride:][:stride], l.scale[r*n:][:n]
			for i, d := range row {
				dScale[i%n] += d * z[r*stride+i]
				dShift[i%n] += d
			}
			for c, v := range scale {
				dScale[c] *= v * (1 - v)
			}
			dHidden, dMean := l.dHidden[r*l.units:][:l.units], l.dz[r*n:][:n]
			for u := range dHidden {
				sum := T(0)
				for c := range n {
					sum += dScale[c]*in[scaleWeight][c*l.units+u] + dShift[c]*in[shiftWeight][c*l.units+u]
				}
				if !(l.hidden[r*l.units+u] > 0) {
					sum = 0
				}
				dHidden[u] = sum
			}
			for c := range dMean {
				sum := T(0)
				for u, d := range dHidden {
					sum += d * in[squeezeWeight][u*n+c]
				}
				dMean[c] = sum / T(l.cells)
			}
			for i, d := range row {
				dIn[excitedZ][r*stride+i] = d*scale[i%n] + dMean[i%n]
			}
		}
	})
	l.sumRows(l.dHidden, l.mean, dIn[squeezeWeight], dIn[squeezeBias])
	l.sumRows(l.dScale, l.hidden, dIn[scaleWeight], dIn[scaleBias])
	l.sumRows(l.dShift, l.hidden, dIn[shiftWeight], dIn[shiftBias])
}

// sumRows computes the gradients of a dense layer's weights and biases from its inputs x and the gradients
// d of its outputs, summed over rows in order.
func (l *excitation[T]) sumRows(d, x, dWeight, dBias []T) {
	outs, ins := len(dBias), len(dWeight)/len(dBias)
	clear(dWeight)
	clear(dBias)
	for r := range l.rows {
		for o, g := range d[r*outs:][:outs] {
			dBias[o] += g
			to := dWeight[o*ins:][:ins]
			for i, v := range x[r*ins:][:ins] {
				to[i] += g * v
			}
		}
	}
}
