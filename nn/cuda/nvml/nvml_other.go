//go:build !gpu || !linux

package nvml

import "errors"

// Open answers that the build has no CUDA.
func Open() (Reader, error) {
	return nil, errors.New("nvml: this build reads no GPU; build with -tags gpu on Linux")
}
