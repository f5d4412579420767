//go:build !linux

package modelled

import "time"

func wait(d time.Duration) { time.Sleep(d) }
