package train

import (
	"math"

	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

// NormMomentum is the weight of a batch's statistics in BatchNorm's running
// statistics: running ← (1 − NormMomentum)·running + NormMomentum·batch.
const NormMomentum = 0.1

// convolution computes ReLU(BatchNorm(conv3×3(x)) + skip). Inputs: x [rows,
// cells·in], cell-major; weight [out, in, 3, 3]; γ [out]; β [out]; and, optionally,
// skip [rows, cells·out], cell-major.
type convolution[T float] struct {
	board                  *board
	rows, in, out, workers int
	training               bool
	running                statistics[T] // read in evaluation mode, never written here
	batch                  statistics[T] // of the last forward pass in training mode

	kernel, gradient *kernel[T]  // the weights, and their gradient
	scratch          [][]T       // [worker][9·out]
	z                []T         // BatchNorm's input, [rows, cells·out]
	dz               []T         // gradient of z; holds the gradient through the ReLU first
	sums             [][]float64 // [chunk][2·out]: two sums per channel
	inverse          []T         // [out] 1/√(variance + ε)
	a, b, c          []T         // [out] coefficients of the pass in progress
}

// statistics are BatchNorm's mean and variance by channel.
type statistics[T float] struct{ mean, variance []T }

func newStatistics[T float](n int) statistics[T] {
	return statistics[T]{make([]T, n), make([]T, n)}
}

func newConvolution[T float](
	b *board, rows, in, out, workers int, training bool, running, batch statistics[T],
) *convolution[T] {
	l := &convolution[T]{
		board: b, rows: rows, in: in, out: out, workers: workers, training: training,
		running: running, batch: batch,
		kernel:  newKernel[T](b, in, out),
		z:       aligned[T](rows * b.Cells() * out),
		inverse: make([]T, out), a: make([]T, out), b: make([]T, out), c: make([]T, out),
	}
	for range workers {
		l.scratch = append(l.scratch, aligned[T](l.kernel.ScratchLen()))
	}
	for range tasks(rows) {
		l.sums = append(l.sums, make([]float64, 2*out))
	}
	if training {
		l.gradient = newKernel[T](b, in, out)
		l.dz = aligned[T](len(l.z))
	}
	return l
}

func (l *convolution[T]) forward(in [][]T, y []T) {
	x, weight, gamma, beta := in[0], in[1], in[2], in[3]
	xStride, stride := l.board.Cells()*l.in, l.board.Cells()*l.out
	l.kernel.Pack(weight)
	eachChunk(l.workers, l.rows, func(_, task, from, to int) {
		z := l.z[from*stride : to*stride]
		clear(z)
		l.kernel.Forward(to-from, x[from*xStride:], xStride, z, stride)
		if l.training {
			moments(z, l.sums[task])
		}
	})
	use := l.running
	if l.training {
		l.mergeMoments()
		use = l.batch
	}
	for c := range l.out {
		l.inverse[c] = T(1 / math.Sqrt(float64(use.variance[c])+nn.NormEpsilon))
		l.a[c] = gamma[c] * l.inverse[c]
	}
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		var skip []T
		if len(in) > 4 {
			skip = in[4][from*stride : to*stride]
		}
		normalise(l.z[from*stride:to*stride], skip, y[from*stride:to*stride], use.mean, l.a, beta)
	})
}

// moments writes each channel's mean and sum of squared deviations over a chunk. It
// takes two passes over cached data, so that a small variance is exact even if the mean is large.
func moments[T float](z []T, sums []float64) {
	n := len(sums) / 2
	mean, squares := sums[:n], sums[n:]
	clear(sums)
	for row := z; len(row) > 0; row = row[n:] {
		for c, v := range row[:n] {
			mean[c] += float64(v)
		}
	}
	for c := range mean {
		mean[c] /= float64(len(z) / n)
	}
	for row := z; len(row) > 0; row = row[n:] {
		for c, v := range row[:n] {
			d := float64(v) - mean[c]
			squares[c] += d * d
		}
	}
}

// mergeMoments merges the chunks' moments in order (Chan, Golub, LeVeque 1979).
func (l *convolution[T]) mergeMoments() {
	for c := range l.out {
		var count, mean, squares float64
		for task, s := range l.sums {
			n := float64((min((task+1)*chunk, l.rows) - task*chunk) * l.board.Cells())
			delta := s[c] - mean
			squares += s[l.out+c] + delta*delta*count*n/(count+n)
			mean += delta * n / (count + n)
			count += n
		}
		l.batch.mean[c], l.batch.variance[c] = T(mean), T(squares/count)
	}
}

// normalise computes y = ReLU((z − mean)·scale + shift + skip).
func normalise[T float](z, skip, y, mean, scale, shift []T) {
	n := len(mean)
	scale, shift = scale[:n], shift[:n]
	for len(z) >= n && len(y) >= n && n > 0 {
		to := y[:n]
		if skip == nil {
			for c, v := range z[:n] {
				to[c] = max((v-mean[c])*scale[c]+shift[c], 0)
			}
		} else {
			add := skip[:n]
			for c, v := range z[:n] {
				to[c] = max((v-mean[c])*scale[c]+shift[c]+add[c], 0)
			}
			skip = skip[n:]
		}
		z, y = z[n:], y[n:]
	}
}

// backward works in training mode only. With g = dy where the ReLU's output is positive and 0
// elsewhere, x̂ = (z − mean)/√(variance + ε), and M cells in the batch,
//
//	dβ = Σ g,  dγ = Σ g·x̂,  dz = γ/√(variance + ε) · (g − dβ/M − x̂·dγ/M).
func (l *convolution[T]) backward(in [][]T, y, dy []T, dIn [][]T) {
	x, gamma := in[0], in[2]
	cells := l.board.Cells()
	xStride, stride := cells*l.in, cells*l.out
	g := l.dz
	if len(dIn) > 4 && dIn[4] != nil {
		g = dIn[4]
	}
	eachChunk(l.workers, l.rows, func(worker, task, from, to int) {
		i, j := from*stride, to*stride
		scratch := l.scratch[worker] // at least 9·out
		gateSums(y[i:j], dy[i:j], l.z[i:j], l.batch.mean, g[i:j], l.sums[task], scratch[:l.out],
			scratch[l.out:])
	})
	m := float64(l.rows * cells)
	for c := range l.out {
		var sum, product float64
		for _, s := range l.sums {
			sum += s[c]
			product += s[l.out+c]
		}
		inverse := float64(l.inverse[c])
		product *= inverse
		dIn[2][c], dIn[3][c] = T(product), T(sum)
		scale := float64(gamma[c]) * inverse
		l.a[c], l.b[c], l.c[c] = T(scale), T(-scale*inverse*product/m), T(-scale*sum/m)
	}
	eachChunk(l.workers, l.rows, func(worker, _, from, to int) {
		i, j := from*stride, to*stride
		combine(g[i:j], l.z[i:j], l.batch.mean, l.a, l.b, l.c, l.dz[i:j])
		if dIn[0] != nil {
			l.kernel.Backward(to-from, l.dz[i:], stride, dIn[0][from*xStride:], xStride,
				l.scratch[worker])
		}
	})
	const channels = 8
	l.gradient.Clear()
	training.Each(l.workers, (l.in+channels-1)/channels, func(_, task int) {
		l.gradient.AddGradient(l.rows, x, xStride, l.dz, stride, task*channels,
			min((task+1)*channels, l.in))
	})
	l.gradient.Unpack(dIn[1])
}

// gateSums computes g = dy where y > 0 and 0 elsewhere, and writes each channel's Σ g and
// Σ g·(z − mean) to sums. first and second are scratch.
func gateSums[T float](y, dy, z, mean, g []T, sums []float64, first, second []T) {
	n := len(mean)
	first, second = first[:n], second[:n]
	clear(first)
	clear(second)
	for len(y) >= n && n > 0 {
		u, v, w := dy[:n], z[:n], g[:n]
		for c, out := range y[:n] {
			d := u[c]
			if out <= 0 {
				d = 0
			}
			w[c] = d
			first[c] += d
			second[c] += d * (v[c] - mean[c])
		}
		y, dy, z, g = y[n:], dy[n:], z[n:], g[n:]
	}
	for c := range first {
		sums[c], sums[n+c] = float64(first[c]), float64(second[c])
	}
}

// combine computes dz = a·g + b·(z − mean) + c.
func combine[T float](g, z, mean, a, b, c, dz []T) {
	n := len(mean)
	a, b, c = a[:n], b[:n], c[:n]
	for len(g) >= n && n > 0 {
		v, to := z[:n], dz[:n]
		for i, d := range g[:n] {
			to[i] = a[i]*d + b[i]*(v[i]-mean[i]) + c[i]
		}
		g, z, dz = g[n:], z[n:], dz[n:]
	}
}

// channelMajor transposes rows [cells, channels] to [channels, cells], the order in
// which dense layers read the trunk (see nn.Params).
type channelMajor[T float] struct{ rows, cells, channels, workers int }

func (l *channelMajor[T]) forward(in [][]T, y []T) { l.transpose(l.cells, l.channels, in[0], y) }

func (l *channelMajor[T]) backward(_ [][]T, _, dy []T, dIn [][]T) {
	l.transpose(l.channels, l.cells, dy, dIn[0])
}

// transpose transposes each row from [a, b] to [b, a].
func (l *channelMajor[T]) transpose(a, b int, x, y []T) {
	path := kernels.Selected()
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			src, dst := x[r*a*b:][:a*b], y[r*a*b:][:a*b]
			if tiled[T]() {
				training.Transpose(path, a, b, single(src), single(dst))
				continue
			}
			for i := range a {
				for j, v := range src[i*b : (i+1)*b] {
					dst[j*a+i] = v
				}
			}
		}
	})
}
