package train

import (
	"sync"
	"sync/atomic"
)

// chunk is how many rows make a task: few enough for a task's activations to
// stay in a near cache, and enough for long dot products.
const chunk = 32

// tasks is the number of chunks that rows make.
func tasks(rows int) int { return (rows + chunk - 1) / chunk }

// each calls f for every task, on several goroutines. worker tells them apart
// (0 ≤ worker < workers). Which worker gets a task is left to chance, so results may
// depend on the task alone.
func each(workers, tasks int, f func(worker, task int)) {
	if workers = min(workers, tasks); workers <= 1 {
		for t := range tasks {
			f(0, t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for {
				t := int(next.Add(1)) - 1
				if t >= tasks {
					return
				}
				f(w, t)
			}
		})
	}
	wg.Wait()
}

// eachChunk calls f for every chunk of rows, from ≤ row < to.
func eachChunk(workers, rows int, f func(worker, task, from, to int)) {
	each(workers, tasks(rows), func(worker, task int) {
		f(worker, task, task*chunk, min((task+1)*chunk, rows))
	})
}
