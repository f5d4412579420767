//go:build gpu

package cudabackend

import (
	"log/slog"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/nntest"
)

// device returns this machine's driver, or skips the test.
func device(t *testing.T) driver.API {
	t.Helper()
	api, err := driver.Open()
	if err != nil {
		t.Skip(err)
	}
	list, err := api.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Skip("the driver finds no CUDA device")
	}
	return api
}

// tools/gpucheck gives each of these tests a time of its own, so they come one by one, the quickest
// first.

// TestDeviceOpens checks that --device auto takes the device and describes it.
func TestDeviceOpens(t *testing.T) {
	device(t)
	b, err := backend.Open("auto", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if !strings.HasPrefix(b.Name(), "cuda:0") {
		t.Errorf("auto opens %s", b.Name())
	}
	for _, r := range backend.Readings(b) {
		t.Logf("%+v", r)
	}
}

// TestDeviceMemory loads networks one after another and checks that their memory is freed.
func TestDeviceMemory(t *testing.T) {
	b := on(t, device(t), backend.BF16)
	p := nntest.Random(paper(), random.New(13, random.Test))
	if _, err := b.Load(p); err != nil { // compiles the kernels
		t.Fatal(err)
	}
	free := func() int64 {
		n, _, err := b.(*devices).first().Session().Memory()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := free()
	for range 50 {
		n, err := b.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		e := n.NewEvaluator().(nn.Async)
		x := e.NewBatch(4096)
		x.N = 4096
		if err := e.Evaluate(x); err != nil {
			t.Fatal(err)
		}
		e.Close()
		n.(interface{ Close() }).Close()
	}
	if lost := before - free(); lost > 64<<20 {
		t.Errorf("%d MiB were not freed", lost>>20)
	}
}

func TestDeviceInferenceBF16(t *testing.T) { deviceInference(t, backend.BF16) }

func TestDeviceTrainingTF32(t *testing.T) { deviceTraining(t, backend.TF32, 0.01) }

func TestDeviceTrainingBF16(t *testing.T) { deviceTraining(t, backend.BF16, 0.04) }

func TestDeviceInferenceTF32(t *testing.T) { deviceInference(t, backend.TF32) }

func TestDeviceInferenceFP32(t *testing.T) { deviceInference(t, backend.FP32) }

func TestDeviceTrainingFP32(t *testing.T) { deviceTraining(t, backend.FP32, 1e-3) }

func deviceInference(t *testing.T, precision string) {
	api := device(t)
	for i, s := range checkedInference() {
		if i < 3 || precision == backend.BF16 { // one precision tells what the larger shapes do
			checkInference(t, api, precision, s, 4, 1500)
		}
	}
}

func deviceTraining(t *testing.T, precision string, tolerance float64) {
	api := device(t)
	for _, s := range checkedTraining() {
		checkTraining(t, api, precision, s, 16, 3, 2*tolerance)
	}
	checkTraining(t, api, precision, longSpec(), longBatch, longSteps, tolerance)
}
