package runtest

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves. It is safe for concurrent use: a server's timers, which run
// by the real time, read it too.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// NewClock returns a clock that shows Began, and that goes on by step each time that it is read.
func NewClock(step time.Duration) *Clock { return &Clock{now: Began, step: step} }

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.Pass(c.step)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass moves the clock forward.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
