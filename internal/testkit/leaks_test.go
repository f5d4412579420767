package testkit

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// A goroutine that ends later than goleak waits is no leak, and one that stays is.
func TestFind(t *testing.T) {
	defer func(d time.Duration) { patience = d }(patience)
	ignore := goleak.IgnoreCurrent()
	go time.Sleep(time.Second)
	NoGoroutines(t, ignore)

	patience = time.Millisecond
	stay := make(chan struct{})
	go func() { <-stay }()
	if find(ignore) == nil {
		t.Error("a goroutine that waits is not found")
	}
	close(stay)
}
