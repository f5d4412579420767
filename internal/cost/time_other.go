//go:build !unix

package cost

import "time"

var start = time.Now()

// processorTime is the time since the start.
func processorTime() time.Duration { return time.Since(start) }
