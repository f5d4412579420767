//go:build gpu

package cudabackend

import (
	"log/slog"

	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/nvml"
)

func init() { backend.Register(open) }

// open opens devices of this machine's driver.
func open(s backend.Spec, log *slog.Logger) (backend.Backend, error) {
	api, err := driver.Open()
	if err != nil {
		return nil, err
	}
	o := Options{Cache: driver.DefaultFolder(), Log: log}
	reader, err := nvml.Open()
	if err == nil {
		o.Reader = reader
	} else {
		log.Debug("no readings of the devices", "reason", err)
	}
	return New(api, s, o)
}
