package training

import (
	"sync"
	"sync/atomic"
)

// Each calls f for every task, on several goroutines. worker tells them apart
// (0 ≤ worker < workers). Which worker gets a task is left to chance, so results may
// depend on the task alone.
func Each(workers, tasks int, f func(worker, task int)) {
	if workers = min(workers, tasks); workers <= 1 {
		for t := range tasks {
			f(0, t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	run := func(w int) {
		for {
			t := int(next.Add(1)) - 1
			if t >= tasks {
				return
			}
			f(w, t)
		}
	}
	for w := 1; w < workers; w++ {
		wg.Go(func() { run(w) })
	}
	run(0)
	wg.Wait()
}
