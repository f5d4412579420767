package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/nn/backend/fake"
)

// subjectsFor is a network of a moment.
func subjectsFor(t *testing.T) []subject {
	t.Helper()
	f := cli.ConfigFlags{Set: []string{"game=tictactoe", "network.blocks=1", "network.filters=4"}}
	list, err := newSubjects(&f, nil, []int{leastCompared}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is measured of a device is said with its ratio to the peak of the precision that it
// computes in, and nothing of the device is left open.
func TestBenchOnADevice(t *testing.T) {
	b := new(fake.Device)
	r, err := benchDevice(t.Context(), 30*time.Millisecond, b, subjectsFor(t), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	n := r.Networks[0]
	if n.Precision != "bf16" || n.OneWorker <= 0 || n.AllWorkers <= 0 || n.Seconds <= 0 ||
		n.OfPeak == nil {
		t.Fatalf("%+v", n)
	}
	want := max(n.OneWorker, n.AllWorkers) * n.Operations / 800e12
	if ratio := *n.OfPeak / want; ratio < 0.999 || ratio > 1.001 {
		t.Errorf("%v of the peak, want %v", *n.OfPeak, want)
	}
	steps, err := benchDeviceSteps(t.Context(), 10*time.Millisecond, b, subjectsFor(t), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := steps.Networks[0]; n.Precision != "tf32" || n.OneWorker <= 0 || n.Seconds <= 0 ||
		n.OfPeak == nil {
		t.Errorf("%+v", n)
	}
	if open := b.Open(); open != 0 {
		t.Errorf("%d evaluators and trainers are left open", open)
	}
	var text, document bytes.Buffer
	if err := errors.Join(r.write(&text, false), r.write(&document, true)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"test:0: a device for tests; peak of large products: bf16 800.0 TFLOP/s, tf32 400.0 TFLOP/s, fp32 50.0 TFLOP/s, large copy 4.00 TB/s",
		"bf16, batch 1024", "of one worker", "% of the peak of bf16",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	var read struct {
		Device string
		BF16   float64 `json:"bf16_flop_per_second"`
		Why    *string `json:"not_measured"`
	}
	if err := json.Unmarshal(document.Bytes(), &read); err != nil || read.Device != "test:0" ||
		read.BF16 != 800e12 || read.Why != nil {
		t.Errorf("%+v, %v", read, err)
	}
}

// several is four devices, two of which train.
type several struct{ fake.Device }

func (*several) InUse() (evaluate, train int) { return 4, 2 }

// TestSeveralDevices checks that a rate of several devices is compared with as many peaks.
func TestSeveralDevices(t *testing.T) {
	d, err := measureDevice(new(several), subjectsFor(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		one, all float64
		workers  int
		devices  int
		want     float64
	}{{400, 1600, 16, 4, 0.5}, {400, 900, 3, 3, 0.375}, {500, 400, 16, 1, 0.625}} {
		n := deviceSpeed{
			Precision: "bf16", OneWorker: c.one, AllWorkers: c.all, Workers: c.workers,
			Operations: 1e12, Batch: leastCompared,
		}
		n.spread(d)
		n.reckon(d)
		if n.Devices != c.devices || *n.OfPeak != c.want {
			t.Errorf("%+v: %d devices, %v of the peak", c, n.Devices, *n.OfPeak)
		}
	}
	steps, err := benchDeviceSteps(t.Context(), time.Millisecond, new(several), subjectsFor(t), 1,
		false)
	if err != nil {
		t.Fatal(err)
	}
	if n := steps.Networks[0]; n.Devices != 2 ||
		!near(*n.OfPeak, n.OneWorker*n.Operations/(2*400e12)) {
		t.Errorf("%+v", n)
	}
	if text := steps.Networks[0].figures("step"); !strings.HasSuffix(text[len(text)-1][1],
		"of the peak of tf32 on 2 devices") {
		t.Errorf("it is written %q", text)
	}
}

// TestSmallBatches checks that the peak is measured only where a batch is compared with it.
func TestSmallBatches(t *testing.T) {
	small, large := subjectsFor(t)[0], subjectsFor(t)[0]
	small.train.Batch = leastCompared - 1
	for _, c := range []struct {
		subjects []subject
		compared []bool
	}{
		{[]subject{small}, []bool{false}},
		{[]subject{small, large}, []bool{false, true}},
	} {
		r, err := benchDevice(t.Context(), time.Millisecond, new(fake.Device), c.subjects, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range r.Networks {
			if (n.OfPeak != nil) != c.compared[i] {
				t.Errorf("of a batch of %d the share of the peak is %v", n.Batch, n.OfPeak)
			}
		}
		unknown := strings.HasSuffix(r.String(), "peak of large products not measured: batches of fewer than 1024 positions are not compared with it")
		if measured := len(c.subjects) > 1; measured != (r.BF16 != nil) || unknown == measured {
			t.Errorf("it is described as %q", r.device)
		}
	}
}

// A device that is lost while it is measured is an error, of whichever measurement.
func TestBenchOnALostDevice(t *testing.T) {
	if _, err := benchDevice(t.Context(), 50*time.Millisecond, &fake.Device{
		LostAfterBatches: 2,
	}, subjectsFor(t), 1, false); !errors.Is(err, fake.Lost) {
		t.Errorf("evaluations: %v", err)
	}
	if _, err := benchDeviceSteps(t.Context(), 50*time.Millisecond, &fake.Device{
		LostAtStep: 2,
	}, subjectsFor(t), 1, false); !errors.Is(err, fake.Lost) {
		t.Errorf("steps: %v", err)
	}
}
