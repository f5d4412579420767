//go:build gpu

package cudabackend

import (
	_ "embed"
	"log/slog"
	"os"

	"tengen/internal/machine"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
)

// kernelsZip holds kernels that tools/release kernels compiled ahead.
//
//go:embed kernels.zip
var kernelsZip []byte

func init() { backend.Register(open) }

// open opens devices of this machine's driver.
func open(s backend.Spec, log *slog.Logger) (backend.Backend, error) {
	api, err := driver.Open()
	if err != nil {
		return nil, err
	}
	ahead, err := driver.OpenAhead(kernelsZip)
	if err != nil {
		return nil, err
	}
	o := Options{
		Cache: driver.DefaultFolder(), Log: log, Ahead: ahead,
		Near: machine.ReadNodes(os.DirFS("/sys")).Near,
	}
	reader, err := driver.OpenMonitor()
	if err == nil {
		o.Reader = reader
	} else {
		log.Debug("no readings of the devices", "reason", err)
	}
	return New(api, s, o)
}
