package cost

import (
	"testing"
	"time"
)

var kept []byte

// What a function allocates is counted, and so is what it computes; what it sleeps is not, where the system tells.
func TestOf(t *testing.T) {
	bytes, took := Of(func() {
		kept = make([]byte, 1<<20)
		for x, end := 0, time.Now().Add(50*time.Millisecond); time.Now().Before(end); x++ {
			kept[x&(1<<20-1)]++
		}
	})
	if bytes < 1<<20 || bytes > 2<<20 || took <= 0 {
		t.Errorf("%d bytes, %v", bytes, took)
	}
	failed := new(testing.T)
	if Usual.Check(failed, "too much", 0, func() { kept = make([]byte, 200<<20) }); !failed.Failed() {
		t.Error("200 MiB of nothing are allowed")
	}
}
