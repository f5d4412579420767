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
)

// Goroutines that are left behind are found by goleak, with the patience that a loaded machine
// needs: goleak itself waits less than half a second for goroutines that are about to end.

// patience is how long goroutines may take to end.
var patience = 2 * time.Minute

// Main runs a package's tests and exits. It fails if they leave a goroutine running. TestMain calls
// it.
func Main(m *testing.M, options ...goleak.Option) {
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
