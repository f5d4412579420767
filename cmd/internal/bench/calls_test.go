package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"tengen/nn/backend"
	"tengen/nn/backend/fake"
)

// tracedDevice is a device whose steps and batches are a copy and a graph of three launches.
type tracedDevice struct{ fake.Device }

func (*tracedDevice) Trace() (func(bool, func() error) ([]backend.Call, error), error) {
	return func(whole bool, f func() error) ([]backend.Call, error) {
		if err := f(); err != nil {
			return nil, err
		}
		list := []backend.Call{{Name: "copy", Seconds: 1e-6, Bytes: 1000}}
		if whole {
			return append(list, backend.Call{Name: "graph", Seconds: 12e-6}), nil
		}
		list = append(list, backend.Call{Name: "apply", Seconds: 2e-6, Bytes: 4e6},
			backend.Call{Name: "product", Seconds: 3e-6, FLOP: 3e8, Bytes: 2e6},
			backend.Call{Name: "product", Seconds: 5e-6, FLOP: 5e8, Bytes: 2e6})
		return list, nil
	}, nil
}

// TestBreakdown checks the figures of a step's calls, and their order.
func TestBreakdown(t *testing.T) {
	done := 0
	trace := tracing(func(whole bool, f func() error) (list []backend.Call, err error) {
		before := done
		err = f()
		one, _ := (*tracedDevice)(nil).Trace()
		for range done - before {
			calls, _ := one(whole, func() error { return nil })
			list = append(list, calls...)
		}
		return list, err
	})
	r, err := trace.breakDown(80*time.Microsecond, 20e-6, func() error { done++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if r.Steps != 4 || done != 10 || r.Seconds != 20e-6 || !near(r.Device, 13e-6) ||
		!near(r.Sum, 11e-6) || r.Launches != 4 || len(r.Calls) != 3 {
		t.Fatalf("%+v after %d steps", r, done)
	}
	p, a, c := r.Calls[0], r.Calls[1], r.Calls[2]
	if p.Name != "product" || p.Launches != 2 || !near(p.Seconds, 8e-6) ||
		!near(p.Share, 8.0/11) || !near(*p.TFLOPS, 100) || !near(*p.GigaBytes, 500) ||
		a.Name != "apply" || a.TFLOPS != nil || !near(*a.GigaBytes, 2000) || c.Name != "copy" {
		t.Errorf("%+v", r.Calls)
	}
	failed := errors.New("failed")
	if _, err := trace.breakDown(time.Second, 1, func() error { return failed }); err != failed {
		t.Errorf("a step's error: %v", err)
	}
}

func near(got, want float64) bool { return got > 0.999*want && got < 1.001*want }

// TestBenchKernels checks that the calls of a network's batches and steps are printed and are in
// the document, and that a device whose calls can't be timed is an error.
func TestBenchKernels(t *testing.T) {
	b := new(tracedDevice)
	for of, bench := range map[string]func(b backend.Backend) (*deviceBench, error){
		"batch": func(b backend.Backend) (*deviceBench, error) {
			return benchDevice(t.Context(), time.Millisecond, b, subjectsFor(t), 1, true)
		},
		"step": func(b backend.Backend) (*deviceBench, error) {
			return benchDeviceSteps(t.Context(), time.Millisecond, b, subjectsFor(t), 1, true)
		},
	} {
		r, err := bench(b)
		if err != nil {
			t.Fatal(err)
		}
		var text, document bytes.Buffer
		if err := errors.Join(r.write(&text, false), r.write(&document, true)); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"kernel or copy", "product", "a " + of, "normally runs"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", of, want, &text)
			}
		}
		var read struct {
			Networks []struct {
				Kernels struct {
					Calls []struct{ Name string }
				}
			}
		}
		if err := json.Unmarshal(document.Bytes(), &read); err != nil ||
			len(read.Networks[0].Kernels.Calls) != 3 {
			t.Errorf("%s: %+v, %v", of, read, err)
		}
		if _, err := bench(new(fake.Device)); err == nil ||
			!strings.Contains(err.Error(), "can't be timed") {
			t.Errorf("%s: without a trace: %v", of, err)
		}
	}
	if open := b.Open(); open != 0 {
		t.Errorf("%d evaluators and trainers are left open", open)
	}
}
