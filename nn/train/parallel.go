package train

import "tengen/nn/kernels/training"

// chunk is how many rows make a task: few enough for a task's activations to
// stay in a near cache, and enough for long dot products.
const chunk = 32

// tasks is the number of chunks that rows make.
func tasks(rows int) int { return (rows + chunk - 1) / chunk }

// eachChunk calls f for every chunk of rows, from ≤ row < to.
func eachChunk(workers, rows int, f func(worker, task, from, to int)) {
	training.Each(workers, tasks(rows), func(worker, task int) {
		f(worker, task, task*chunk, min((task+1)*chunk, rows))
	})
}

// stretch is how many numbers of an array make a task.
const stretch = 1 << 14

// piece is a part of one of several arrays, from ≤ i < to.
type piece struct{ array, from, to int }

// pieces cuts n arrays, of these lengths, into stretches, so that workers share a long one.
func pieces(n int, length func(array int) int) []piece {
	var list []piece
	for array := range n {
		for from := 0; from < length(array); from += stretch {
			list = append(list, piece{array, from, min(from+stretch, length(array))})
		}
	}
	return list
}
