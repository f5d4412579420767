package cuda_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// TestWideLayers evaluates a network of general kernels in a batch that fills the device and in one
// that does not: the former uses the kernel for the blocks' shape, unless it does not compile, with
// the same bits.
func TestWideLayers(t *testing.T) {
	device := emulate.Hopper()
	device.SMs = 2
	spec := nn.Spec{Planes: 3, Height: 3, Width: 4, Players: 2, Actions: 12, Blocks: 1,
		Filters: 128, Hidden: 8, Policy: nn.PolicyConv, Value: nn.ValueLinear}
	rows, few := 12, 3 // 144 positions are two blocks of 128
	rng := random.New(3, random.Test)
	params, observations := nntest.Random(spec, rng), nntest.Observations(spec, rows, rng)
	reference := nntest.NewReference(params).Forward(nntest.Widen(observations), rows, false)
	for _, p := range []kernels.Precision{kernels.BF16, kernels.TF32} {
		for _, compiles := range []bool{true, false} {
			var log bytes.Buffer
			api := fake.Compiling(
				emulate.ForTest(t, emulate.Options{Devices: []driver.Device{device}}),
				func(s *driver.Source) error {
					wide := strings.Contains(strings.Join(s.Defines, " "), "TILE_M=128 TILE_N=128")
					if wide && !compiles {
						return &driver.LibraryError{Library: "libnvrtc"}
					}
					return nil
				})
			d, err := cuda.Open(api, 0, cuda.Options{
				Ways: []kernels.Way{kernels.AnyShape}, Unchecked: true,
				Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			trace := d.Trace()
			w, err := d.Load(params, p)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			var all, some *nn.Batch
			own := map[int]int{} // products by the kernel for the shape, by rows
			for _, n := range []int{rows, few} {
				calls, err := trace.Time(true, func() error {
					some = evaluate(t, w, n, observations[:n*len(observations)/rows])
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if all == nil {
					all = some
				}
				for i := range calls {
					if name := kernels.WorkOf(&calls[i]).Name; strings.HasPrefix(name, "product") &&
						!strings.Contains(name, "any shape") {
						own[n]++
					}
				}
			}
			if want := map[bool]int{true: 2}[compiles]; own[rows] != want || own[few] != 0 ||
				compiles == strings.Contains(log.String(), "left out") {
				t.Errorf("%s, compiles %v: %d and %d products of the own shape\n%s", p, compiles,
					own[rows], own[few], &log)
			}
			near(t, "policy", all.Policy, reference.Policy, tolerance[p])
			near(t, "value", all.Values, reference.Values, tolerance[p])
			if !slices.Equal(some.Policy, all.Policy[:len(some.Policy)]) ||
				!slices.Equal(some.Values, all.Values[:len(some.Values)]) {
				t.Errorf("%s, compiles %v: few rows have other bits", p, compiles)
			}
		}
	}
}

// TestLayersWithWGMMA evaluates a network whose blocks' convolutions are products with wgmma, with
// one multiprocessor, and so several tiles for a block of threads. Few rows have the same bits.
func TestLayersWithWGMMA(t *testing.T) {
	device := emulate.Hopper()
	device.SMs = 1
	spec := nntest.Shape(3, 3, 4, 1, 12, 1, 1, 64, 4, nn.PolicyConv, nn.ValueLinear)
	const rows, few = 23, 2
	d, err := cuda.Open(emulate.ForTest(t, emulate.Options{Devices: []driver.Device{device}}), 0,
		cuda.Options{Ways: []kernels.Way{kernels.AnyWGMMA, kernels.AnyShape}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	trace := d.Trace()
	rng := random.New(4, random.Test)
	params, observations := nntest.Random(spec, rng), nntest.Observations(spec, rows, rng)
	w, err := d.Load(params, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all, some *nn.Batch
	calls, err := trace.Time(true, func() error {
		all = evaluate(t, w, rows, observations)
		some = evaluate(t, w, few, observations[:few*len(observations)/rows])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	products := 0
	for i := range calls {
		if strings.Contains(kernels.WorkOf(&calls[i]).Name, "64→64, wgmma") {
			products++
		}
	}
	if w.Way() != kernels.AnyWGMMA || products != 4 {
		t.Errorf("%d products with wgmma, want 4; the way is %s", products, w.Way())
	}
	want := nntest.NewReference(params).Forward(nntest.Widen(observations), rows, false)
	near(t, "policy", all.Policy, want.Policy, tolerance[kernels.BF16])
	near(t, "value", all.Values, want.Values, tolerance[kernels.BF16])
	same(t, "policy of few rows", some.Policy, all.Policy[:len(some.Policy)])
	same(t, "values of few rows", some.Values, all.Values[:len(some.Values)])
}
