package testkit

import (
	"testing"
	"time"
)

var kept []byte

// What a function allocates is counted, and so is what it computes; what it sleeps is not, where
// the system tells.
func TestCost(t *testing.T) {
	bytes, took := Cost(func() {
		kept = make([]byte, 1<<20)
		for x, end := 0, time.Now().Add(50*time.Millisecond); time.Now().Before(end); x++ {
			kept[x&(1<<20-1)]++
		}
	})
	if bytes < 1<<20 || bytes > 2<<20 || took <= 0 {
		t.Errorf("%d bytes, %v", bytes, took)
	}
	failed := new(testing.T)
	if Usual.Check(failed, "too much", 0, func() {
		kept = make([]byte, 200<<20)
	}); !failed.Failed() {
		t.Error("200 MiB of nothing are allowed")
	}
}

// What is in use at a time is counted, and what has become garbage is not.
func TestInUse(t *testing.T) {
	defer func() { kept = nil }()
	kept = nil
	if n := InUse(func() {
		for range 100 {
			kept = make([]byte, 1<<20)
		}
	}); n < 1<<20 || n > 20<<20 {
		t.Errorf("%d bytes are in use where 1 MiB is, a hundred times", n)
	}
	kept = nil
	if n := InUse(func() { kept = make([]byte, 100<<20) }); n < 100<<20 || n > 110<<20 {
		t.Errorf("%d bytes are in use where 100 MiB are", n)
	}
}
