package cuda

import (
	"runtime"
	"time"
)

// polledRows is the number of rows up to which a batch is polled for, beside those that have the
// tower for few rows.
const polledRows = 128

// pollTime is how long a batch of few rows is polled for: they take about half of it on an idle
// device, and a thread that sleeps until the driver wakes it returns that much later.
var pollTime = 200 * time.Microsecond

// poll asks for a while whether the batch is done, and lets other goroutines run meanwhile. Few
// goroutines do so at a time: their questions take the driver's locks, which launches need.
func (b *batch) poll() (done bool, err error) {
	polling := &b.network.device.polling
	defer polling.Add(-1)
	if polling.Add(1) > int32(max(1, runtime.GOMAXPROCS(0)/8)) {
		return false, nil
	}
	for began := time.Now(); ; runtime.Gosched() {
		if done, err = b.Done(); done || err != nil || time.Since(began) >= pollTime {
			return done, err
		}
	}
}
