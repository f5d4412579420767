package train

import "tengen/nn/kernels/training"

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
