//go:build !linux && !darwin

package machine

import (
	"errors"
	"time"
)

// CPUTime is not known here.
func CPUTime() time.Duration { return 0 }

// PeakMemory is not known here.
func PeakMemory() uint64 { return 0 }

// DiskSpace is not known here.
func DiskSpace(string) (free, size float64, err error) { return 0, 0, errors.ErrUnsupported }
