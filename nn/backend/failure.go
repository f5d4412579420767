package backend

import (
	"errors"

	"tengen/nn/cuda/driver"
)

// Lost reports whether err says that a device can't be used again in this process.
func Lost(err error) bool { return driver.Lost(err) }

// Advice says what to do about an error of a device. It returns "" if there is nothing to
// add to the error.
func Advice(err error) string {
	var memory *driver.MemoryError
	switch {
	case Lost(err):
		return "the device can't be used again in this process; --device cpu continues without it"
	case errors.As(err, &memory) && memory.Host:
		return "fewer concurrent games need less pinned memory: --set selfplay.device_games_per_worker=32"
	case errors.As(err, &memory):
		return "fewer concurrent games or smaller batches need less of the device's memory (selfplay.device_games_per_worker, training.batch); other programs may hold some of it"
	}
	return ""
}
