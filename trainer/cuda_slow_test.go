//go:build slow

package trainer

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
)

// TestRunOnCUDA runs the whole cycle with the CUDA backend on an emulated device, loses
// the device, and goes on on the processor.
func TestRunOnCUDA(t *testing.T) {
	device := fake.New(fake.Ampere(t, 1))
	b, err := cudabackend.New(device,
		backend.Spec{Kind: backend.CUDA, Inference: backend.BF16, Training: backend.TF32},
		cudabackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	set := []string{
		"game=tictactoe", "network.blocks=1", "network.filters=16", "network.hidden=16",
		"search.simulations=4",
		"training.games=6", "training.batch=16", "training.max_steps=3",
		"warm_start.initial_epochs=0", "evaluation.every=0", "selfplay.workers=1",
	}
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, b, dir, false, set...); err != nil {
		t.Fatal(err)
	}
	launches := device.Calls("Launch")
	if launches == 0 || newest(t, dir).Iteration != 4 {
		t.Fatalf("%d launches, iteration %d", launches, newest(t, dir).Iteration)
	}
	for _, x := range newest(t, dir).Params.Tensors {
		for _, v := range x.Data {
			if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
				t.Fatalf("%s has the number %v", x.Name, v)
			}
		}
	}

	// The same run again, on a device that is lost in the midst of it.
	device.Fail("Launch", launches*2/3, &driver.LostError{
		Device: "emulated Ampere", Call: "cuLaunchKernel", Code: 719,
	})
	dir = filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, b, dir, false, set...); !backend.Lost(err) {
		t.Fatalf("a lost device: %v", err)
	}
	log, err := runOn(t, nil, dir, true, set...)
	if err != nil || !strings.Contains(log, "not be the same to the bit") {
		t.Errorf("on the processor: %v\n%s", err, log)
	}
	if newest(t, dir).Iteration != 4 {
		t.Errorf("it ends at iteration %d", newest(t, dir).Iteration)
	}
}
