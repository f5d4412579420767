//go:build !unix

package cmd

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
