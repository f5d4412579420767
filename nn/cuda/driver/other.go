//go:build !gpu || !linux

package driver

import "errors"

// products is unavailable without the library.
type products struct{}

func newProducts(*measurer, int) (*products, error) {
	return nil, errors.New("this binary has no CUDA")
}

func (*products) multiply(factors) error { return nil }
func (*products) close()                 {}

// OpenMonitor returns an error.
func OpenMonitor() (Monitor, error) {
	return nil, errors.New("nvml: this build reads no GPU; build with -tags gpu on Linux")
}
