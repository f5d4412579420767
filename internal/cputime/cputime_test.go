//go:build unix

package cputime

import (
	"testing"
	"time"
)

// TestUsed: work takes processor time, and sleep hardly any.
func TestUsed(t *testing.T) {
	began, x := Used(), uint64(1)
	for start := time.Now(); Used()-began < 20*time.Millisecond; x *= 3 {
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("two minutes of work took %v (%d)", Used()-began, x)
		}
	}
	before := Used()
	time.Sleep(200 * time.Millisecond)
	if slept := Used() - before; slept > 150*time.Millisecond {
		t.Errorf("200 ms of sleep took %v", slept)
	}
}
