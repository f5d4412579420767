package train

import (
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

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
