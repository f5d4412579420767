package train

import (
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

// outputBlock is the number of outputs computed for a whole chunk before the next
// ones, so that their weights stay in the first-level cache.
const outputBlock = 16

// dense computes x·Wᵀ + b, and its ReLU if relu is set, for independent groups of
// inputs and outputs (one group per player). Inputs: x [rows, groups·in], W [groups·out, in], b
// [groups·out].
type dense[T float] struct {
	rows, groups, in, out, workers int
	relu                           bool

	g     []T             // gradient through the ReLU, [rows, groups·out]
	tiled *training.Dense // computes the products; nil if tiled[T]() is false
	sums  [][]float64     // [chunk][groups·out] sums of g over rows; only if tiled is set

	// Only if tiled is nil.
	wT     []T // [groups, in, out]
	xT, gT []T // [channels, rows]
}

func newDense[T float](rows, groups, in, out, workers int, relu bool) *dense[T] {
	l := &dense[T]{
		rows: rows, groups: groups, in: in, out: out, workers: workers, relu: relu,
		g: aligned[T](rows * groups * out),
	}
	if tiled[T]() {
		l.tiled = training.NewDense(kernels.Selected(),
			training.DenseShape{Rows: rows, Groups: groups, In: in, Out: out}, workers)
		for range tasks(rows) {
			l.sums = append(l.sums, make([]float64, groups*out))
		}
		return l
	}
	l.wT = aligned[T](groups * in * out)
	l.xT = aligned[T](rows * groups * in)
	l.gT = aligned[T](rows * groups * out)
	return l
}

// single returns x as a []float32. T must be float32.
func single[T float](x []T) []float32 { return any(x).([]float32) }

func (l *dense[T]) forward(in [][]T, y []T) {
	x, w, bias := in[0], in[1], in[2]
	xStride, stride := l.groups*l.in, l.groups*l.out
	if l.tiled != nil {
		l.tiled.Forward(single(x), single(w), single(y))
		eachChunk(l.workers, l.rows, func(_, _, from, to int) {
			for r := from; r < to; r++ {
				addBias(y[r*stride:(r+1)*stride], bias, l.relu)
			}
		})
		return
	}
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for group := range l.groups {
			for o := 0; o < l.out; o += outputBlock {
				first := group*l.out + o
				for r := from; r < to; r++ {
					matVec(min(outputBlock, l.out-o), l.in, w[first*l.in:], l.in,
						x[r*xStride+group*l.in:], false, y[r*stride+first:])
				}
			}
		}
		for r := from; r < to; r++ {
			addBias(y[r*stride:(r+1)*stride], bias, l.relu)
		}
	})
}

func addBias[T float](y, bias []T, relu bool) {
	bias = bias[:len(y)]
	for i, v := range y {
		v += bias[i]
		if relu && v < 0 {
			v = 0
		}
		y[i] = v
	}
}

func (l *dense[T]) backward(in [][]T, y, dy []T, dIn [][]T) {
	x, w := in[0], in[1]
	xStride, stride := l.groups*l.in, l.groups*l.out
	if l.tiled != nil {
		eachChunk(l.workers, l.rows, func(_, task, from, to int) {
			gate(y[from*stride:to*stride], dy[from*stride:], l.g[from*stride:], l.relu)
			sumRows(l.g[from*stride:to*stride], l.sums[task])
		})
		l.tiled.Backward(single(l.g), single(dIn[0]), single(dIn[1]))
		for o := range dIn[2] {
			total := 0.0
			for _, s := range l.sums {
				total += s[o]
			}
			dIn[2][o] = T(total)
		}
		return
	}
	for group := range l.groups {
		transpose(l.out, l.in, w[group*l.out*l.in:], l.in, l.wT[group*l.in*l.out:], l.out, 0)
	}
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		gate(y[from*stride:to*stride], dy[from*stride:], l.g[from*stride:], l.relu)
		for group := range l.groups {
			for i := 0; i < l.in; i += outputBlock {
				first := group*l.in + i
				for r := from; r < to; r++ {
					matVec(min(outputBlock, l.in-i), l.out, l.wT[first*l.out:], l.out,
						l.g[r*stride+group*l.out:], false, dIn[0][r*xStride+first:])
				}
			}
		}
		transpose(to-from, xStride, x[from*xStride:], xStride, l.xT, l.rows, from)
		transpose(to-from, stride, l.g[from*stride:], stride, l.gT, l.rows, from)
	})
	training.Each(l.workers, stride, func(_, o int) {
		g := l.gT[o*l.rows : (o+1)*l.rows]
		matVec(l.in, l.rows, l.xT[o/l.out*l.in*l.rows:], l.rows, g, false, dIn[1][o*l.in:])
		dIn[2][o] = sum(g)
	})
}

// gate computes g = dy, with 0 where relu is set and y is not positive.
func gate[T float](y, dy, g []T, relu bool) {
	dy, g = dy[:len(y)], g[:len(y)]
	for i, v := range y {
		d := dy[i]
		if relu && v <= 0 {
			d = 0
		}
		g[i] = d
	}
}

// sumRows sets sums to the sum of the rows of x, each as long as sums.
func sumRows[T float](x []T, sums []float64) {
	clear(sums)
	for ; len(x) > 0; x = x[len(sums):] {
		for i, v := range x[:len(sums)] {
			sums[i] += float64(v)
		}
	}
}

func sum[T float](x []T) T {
	var s float64
	for _, v := range x {
		s += float64(v)
	}
	return T(s)
}

// chunk is the number of rows of a task: few enough that a task's activations fit the
// cache, and enough for long dot products.
const chunk = 32

// tasks returns the number of chunks in rows.
func tasks(rows int) int { return (rows + chunk - 1) / chunk }

// eachChunk calls f for every chunk of rows, from ≤ row < to, on several goroutines.
func eachChunk(workers, rows int, f func(worker, task, from, to int)) {
	training.Each(workers, tasks(rows), func(worker, task int) {
		f(worker, task, task*chunk, min((task+1)*chunk, rows))
	})
}

// stretch is the number of elements of an array that make a task.
const stretch = 1 << 14

// piece is elements from ≤ i < to of one of several arrays.
type piece struct{ array, from, to int }

// pieces divides n arrays of the given lengths into stretches, so that workers can share a long
// one.
func pieces(n int, length func(array int) int) []piece {
	var list []piece
	for array := range n {
		for from := 0; from < length(array); from += stretch {
			list = append(list, piece{array, from, min(from+stretch, length(array))})
		}
	}
	return list
}
