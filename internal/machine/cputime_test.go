//go:build linux || darwin

package machine

import (
	"testing"
	"time"
)

// TestCPUTime: work takes processor time, and sleep hardly any.
func TestCPUTime(t *testing.T) {
	began, x := CPUTime(), uint64(1)
	for start := time.Now(); CPUTime()-began < 20*time.Millisecond; x *= 3 {
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("two minutes of work took %v (%d)", CPUTime()-began, x)
		}
	}
	before := CPUTime()
	time.Sleep(200 * time.Millisecond)
	if slept := CPUTime() - before; slept > 150*time.Millisecond {
		t.Errorf("200 ms of sleep took %v", slept)
	}
}
