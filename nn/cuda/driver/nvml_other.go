//go:build !gpu || !linux

package driver

import "errors"

// OpenMonitor returns an error.
func OpenMonitor() (Monitor, error) {
	return nil, errors.New("nvml: this build reads no GPU; build with -tags gpu on Linux")
}
