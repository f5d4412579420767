package machine

import (
	"os"
	"testing"
	"time"
)

// TestUsageOf: work takes processor time, and memory that is touched is resident.
func TestUsageOf(t *testing.T) {
	before, err := UsageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if before.Resident < 1<<20 || before.Resident > 1<<40 {
		t.Errorf("%d bytes are resident", before.Resident)
	}
	held := make([]byte, 64<<20)
	for i := range held {
		held[i] = 1
	}
	after, x := before, uint64(1)
	for start := time.Now(); after.CPU <= before.CPU; x *= 3 {
		if after, err = UsageOf(os.Getpid()); err != nil {
			t.Fatal(err)
		}
		if time.Since(start) > 2*time.Minute {
			t.Fatalf("two minutes of work took no time (%d)", x)
		}
	}
	if after.Resident < 64<<20 {
		t.Errorf("%d bytes are resident, of which 64 MiB were touched", after.Resident)
	}
	if held[len(held)/2] != 1 {
		t.Error("memory has changed")
	}
	if _, err := UsageOf(1 << 30); err == nil {
		t.Error("no error for a process that does not exist")
	}
	if m := Has(); m.Cores < 1 || m.Available > m.Memory {
		t.Errorf("%+v", m)
	}
}
