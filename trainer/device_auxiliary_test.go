package trainer

import (
	"log/slog"
	"path/filepath"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver/fake"
)

// TestAuxiliaryHeadsOnADevice runs a run whose network has auxiliary heads with auto on a device
// that computes nothing: it evaluates, the processor trains.
func TestAuxiliaryHeadsOnADevice(t *testing.T) {
	device := fake.WithDevices(1)
	b, err := cudabackend.New(device, backend.Spec{Kind: backend.Auto}, cudabackend.Options{
		Unchecked: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, b, dir, false, "training.label_weight=0.1",
		"evaluation.every=0"); err != nil {
		t.Fatal(err)
	}
	if c := newest(t, dir); c.Step == 0 || c.Params.Spec.Auxiliary.IsZero() ||
		device.Calls("Launch") == 0 {
		t.Errorf("%d steps of a network with the heads %+v, %d launches",
			c.Step, c.Params.Spec.Auxiliary, device.Calls("Launch"))
	}
}
