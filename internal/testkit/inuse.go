package testkit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

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
