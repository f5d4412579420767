//go:build !linux

package fake

import "time"

func wait(d time.Duration) { time.Sleep(d) }
