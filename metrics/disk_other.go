//go:build !linux && !darwin

package metrics

import "errors"

func diskSpace(string) (free, size float64, err error) {
	return 0, 0, errors.ErrUnsupported
}
