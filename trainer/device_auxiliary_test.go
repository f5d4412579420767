package trainer

import (
	"log/slog"
	"path/filepath"
	"testing"

	"tengen/configs"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/train"
)

// hollow returns a backend of a device that computes nothing.
func hollow(t *testing.T) (backend.Backend, *fake.Driver) {
	t.Helper()
	device := fake.WithDevices(1)
	b, err := cudabackend.New(device, backend.Spec{Kind: backend.CUDA}, cudabackend.Options{
		Unchecked: true, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, device
}

// TestAuxiliaryHeadsOnADevice runs a run whose network has auxiliary heads on a device, which
// evaluates it without them and trains it with them.
func TestAuxiliaryHeadsOnADevice(t *testing.T) {
	b, device := hollow(t)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, b, dir, false, "training.label_weight=0.1",
		"evaluation.every=0"); err != nil {
		t.Fatal(err)
	}
	if c := newest(t, dir); c.Step == 0 || c.Params.Spec.Auxiliary.IsZero() ||
		device.Calls("LaunchGraph") == 0 {
		t.Errorf("%d steps of a network with the heads %+v, %d launches of a step's graph",
			c.Step, c.Params.Spec.Auxiliary, device.Calls("LaunchGraph"))
	}
}

// TestPresetsTrainOnADevice checks that a device trains and evaluates the network of every preset.
func TestPresetsTrainOnADevice(t *testing.T) {
	b, _ := hollow(t)
	heads := 0
	for _, name := range configs.PresetNames() {
		r, err := configs.Resolve(configs.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(&r.Config)
		if err != nil {
			t.Fatal(err)
		}
		params, err := nn.NewParams(p.Spec)
		if err != nil {
			t.Fatal(err)
		}
		trainer, err := b.NewTrainer(params, p.Train)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, ok := trainer.(train.Async); !ok {
			t.Errorf("%s: %T trains", name, trainer)
		}
		if _, err := b.Load(params); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		train.Close(trainer)
		if !p.Spec.Auxiliary.IsZero() {
			heads++
		}
	}
	if heads == 0 {
		t.Error("no preset has auxiliary heads")
	}
}
