package training

import (
	"math"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tengen/nn/train"
)

// threadTime returns the processor time that the goroutine's thread has had.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// TestHostTimeOfStep checks the processor's time of a step of 4,096 rows, of which the next is
// always under way, on one device and on two, for one-hot and dense targets: the least of several
// tries on this thread alone, so that what else the machine does matters little.
func TestHostTimeOfStep(t *testing.T) {
	const most, steps = 150 * time.Microsecond, 10
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, devices := range []int{1, 2} {
		for _, dense := range []bool{false, true} {
			tr, _, rows := countedTrainer(t, devices, dense)
			var batches []*train.Batch
			for range ahead {
				b := tr.NewBatch()
				b.Set(rows)
				batches = append(batches, b)
			}
			began := 0
			step := func() {
				if err := tr.Start(batches[began%ahead]); err != nil {
					t.Fatal(err)
				}
				if began++; began == 1 {
					return
				}
				if _, err := tr.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			step()
			least := time.Duration(math.MaxInt64)
			for range 10 {
				before := threadTime(t)
				for range steps {
					step()
				}
				least = min(least, (threadTime(t)-before)/steps)
			}
			if least > most {
				t.Errorf("%d devices, dense %v: a step takes %v of the processor's time, want at most %v",
					devices, dense, least, most)
			}
			t.Logf("%d devices, dense %v: %v", devices, dense, least)
		}
	}
}
