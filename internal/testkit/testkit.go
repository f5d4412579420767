package testkit

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"go.uber.org/goleak"
	"tengen/internal/machine"
)

// Goroutines that are left behind are found by goleak, with the patience that a loaded machine
// needs: goleak itself waits less than half a second for goroutines that are about to end.

// patience is how long goroutines may take to end.
var patience = 2 * time.Minute

// Main runs a package's tests and exits. It fails if they leave a goroutine running. TestMain calls
// it.
func Main(m goleak.TestingM, options ...goleak.Option) {
	status := m.Run()
	if status == 0 {
		if err := find(options...); err != nil {
			fmt.Fprintln(os.Stderr, "after the tests there are goroutines:", err)
			status = 1
		}
	}
	os.Exit(status)
}

// NoGoroutines fails a test if there is a goroutine that the options do not leave out.
func NoGoroutines(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := find(options...); err != nil {
		t.Error(err)
	}
}

// find returns an error that tells of the goroutines that do not end.
func find(options ...goleak.Option) (err error) {
	for end := time.Now().Add(patience); ; {
		if err = goleak.Find(options...); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// InUse returns the most bytes of the heap that are in use at a time while f runs, besides those
// that are before. Meanwhile the collector runs when the heap has grown by a tenth, so that little
// garbage is counted. Nothing else of the process should run. It takes longer than Cost, which
// returns at least as much.
func InUse(f func()) (bytes uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := heap()
	most, stop := make(chan uint64), make(chan struct{})
	go func() {
		m := heap()
		tick := time.NewTicker(100 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m = max(m, heap())
			case <-stop:
				most <- max(m, heap())
				return
			}
		}
	}()
	f()
	close(stop)
	m := <-most
	return m - min(m, before)
}

// heap returns the bytes of objects, garbage that is not yet swept among them.
func heap() uint64 {
	s := [1]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()
}

// A Bound is what n bytes from outside may cost: memory that is allocated in all, which is at least
// what is in use at any time, and time of the processor.
type Bound struct {
	Bytes   int           // of memory, besides those in proportion
	PerByte int           // bytes of memory for each byte
	Time    time.Duration // besides that in proportion
	PerMiB  time.Duration // for each MiB
}

// Usual is the bound of formats that have no reason for another: 64 MiB and 16 times the bytes; a
// second, and one for each MiB.
var Usual = Bound{Bytes: 64 << 20, PerByte: 16, Time: time.Second, PerMiB: time.Second}

// Cost returns the bytes that f allocates, in all, and the time that it takes of the processor
// (where the system does not tell, that of the clock), on which other programs have little
// influence. Nothing else of the process should run meanwhile.
func Cost(f func()) (bytes uint64, took time.Duration) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start, began := time.Now(), machine.CPUTime()
	f()
	if took = machine.CPUTime() - began; began == 0 {
		took = time.Since(start)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// CheckCost fails a test if f, which handles n bytes from outside, costs more than Usual.
func CheckCost(t testing.TB, name string, n int, f func()) { Usual.Check(t, name, n, f) }

// Check fails a test if f, which handles n bytes from outside, costs more. Time has ten times the
// bound, for a slow machine and the race detector, with which memory has twice the bound.
func (b Bound) Check(t testing.TB, name string, n int, f func()) {
	t.Helper()
	bytes, took := Cost(f)
	overhead := uint64(1)
	if Race {
		// the detector allocates too, and hinders the compiler from keeping values on the stack
		overhead = 2
	}
	if most := overhead * (uint64(b.Bytes) + uint64(b.PerByte)*uint64(n)); bytes > most {
		t.Errorf("%s: %d bytes cost %.1f MiB of memory, at most %.1f are allowed",
			name, n, float64(bytes)/(1<<20), float64(most)/(1<<20))
	}
	if most := 10 * (b.Time + time.Duration(float64(b.PerMiB)*float64(n)/(1<<20))); took > most {
		t.Errorf("%s: %d bytes cost %v, at most %v are allowed", name, n, took, most)
	}
	t.Logf("%s: %d bytes cost %.1f MiB and %v",
		name, n, float64(bytes)/(1<<20), took.Round(time.Millisecond))
}
