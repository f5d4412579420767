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
