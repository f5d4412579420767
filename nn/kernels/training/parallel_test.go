package training

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestEach checks that every task is done once before Each returns, and that no worker does two at
// a time, also if several goroutines call Each concurrently and pause between calls.
func TestEach(t *testing.T) {
	var callers sync.WaitGroup
	for caller := range 3 {
		callers.Go(func() {
			for round := range 300 {
				workers, tasks := round%4, round%9
				done := make([]int, tasks) // without locks, so that the race detector checks it
				busy := make([]atomic.Bool, max(workers, 1))
				Each(workers, tasks, func(worker, task int) {
					if busy[worker].Swap(true) {
						t.Errorf("worker %d does two tasks at once", worker)
					}
					for range 100 * task {
						done[task]++
					}
					done[task] -= 100*task - 1
					busy[worker].Store(false)
				})
				for task, n := range done {
					if n != 1 {
						t.Errorf("%d workers did task %d of %d %d times", workers, task, tasks, n)
					}
				}
				if round%100 == 99 {
					time.Sleep(time.Duration(caller) * pollFor) // helpers leave
				}
			}
		})
	}
	callers.Wait()
}

// TestHelpersLeave checks that idle helpers exit.
func TestHelpersLeave(t *testing.T) {
	Each(4, 100, func(_, _ int) {})
	left := func() bool {
		all.mu.Lock()
		defer all.mu.Unlock()
		return all.count == 0 && len(all.idle) == 0
	}
	for deadline := time.Now().Add(2 * time.Minute); !left(); time.Sleep(pollFor) {
		if time.Now().After(deadline) {
			t.Fatal("helpers are still there after 10 s")
		}
	}
}
