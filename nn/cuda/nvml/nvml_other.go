//go:build !gpu || !linux

package nvml

import "errors"

// Open returns an error.
func Open() (Reader, error) {
	return nil, errors.New("nvml: this build reads no GPU; build with -tags gpu on Linux")
}
